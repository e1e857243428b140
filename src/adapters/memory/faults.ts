import { copyOf } from "./copy.ts";

/** When a method that is made to fail does so: without having done anything, or like a request whose answer was lost. */
export type FaultMoment = "before" | "after";

/** Makes methods of a memory adapter fail, as the real ones do. */
export interface Faulty {
  /** The next call of any method rejects with this error; several are used up in turn. */
  readonly failNext: (error: Error, moment?: FaultMoment) => void;
}

/** The faults that wait for one adapter's calls. */
export interface Faults extends Faulty {
  /** Runs a method's body, with the fault that waits, and hands out a copy of its answer. */
  readonly around: <Answer>(body: () => Answer) => Promise<Answer>;
}

/** No fault waits at first. */
export function faults(): Faults {
  const waiting: { readonly error: Error; readonly moment: FaultMoment }[] = [];
  return {
    failNext(error, moment = "before") {
      waiting.push({ error, moment });
    },

    async around(body) {
      // What other calls do must be able to come in between, as it does over a network.
      await Promise.resolve();
      const fault = waiting.shift();
      if (fault?.moment === "before") throw fault.error;
      const answer = copyOf(body());
      if (fault) throw fault.error;
      return answer;
    },
  };
}
