import type { Repositories } from "#ports/repositories";
import { type Faulty, faults } from "./faults.ts";
import { type MemoryTable, repositoryText } from "./workload-store.ts";

/** The repositories that the stores of a table have subscribed anyone to. */
export function memoryRepositories({ repositories }: MemoryTable): Repositories & Faulty {
  const { around, failNext } = faults();
  return {
    failNext,
    list: () => around(() => [...repositories.keys()].sort().flatMap((text) => repositories.get(text) ?? [])),
    read: (name) => around(() => repositories.get(repositoryText(name))),
    write: async (state) => {
      const copy = structuredClone(state);
      return around(() => {
        repositories.set(repositoryText(copy), copy);
      });
    },
    forget: (name) =>
      around(() => {
        repositories.delete(repositoryText(name));
      }),
  };
}
