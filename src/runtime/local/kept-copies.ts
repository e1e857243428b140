import type { KeptMessages } from "#ports/kept-messages";

/**
 * Returns stored messages that count the copies of each. A delivery may send its own message again, for
 * later, before it ends: the message is stored until the last copy is handled.
 */
export function keptCopies(messages: KeptMessages): KeptMessages {
  const copies = new Map<string, number>();
  const add = (body: string): void => void copies.set(body, (copies.get(body) ?? 0) + 1);
  return {
    async keep(kept) {
      await messages.keep(kept);
      for (const { body } of kept) add(body);
    },
    async forget(body) {
      const left = (copies.get(body) ?? 1) - 1;
      if (left > 0) copies.set(body, left);
      else {
        copies.delete(body);
        await messages.forget(body);
      }
    },
    async list() {
      const all = await messages.list();
      for (const { body } of all) add(body);
      return all;
    },
  };
}
