import type { EpochMs } from "#domain/time";
import type { Echoes } from "#ports/echoes";

/** How many are kept: whoever asked for one waits half a minute for it. */
const most = 100;

/** Echoes in this process alone; the oldest make room. */
export function memoryEchoes(): Echoes {
  const echoes = new Map<string, EpochMs>();
  return {
    put(id, at) {
      if (!echoes.has(id)) echoes.set(id, at);
      const [oldest] = echoes.keys();
      if (echoes.size > most && oldest !== undefined) echoes.delete(oldest);
      return Promise.resolve();
    },
    read: (id) => Promise.resolve(echoes.get(id)),
  };
}
