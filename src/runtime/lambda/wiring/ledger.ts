import { dynamoLedger } from "#adapters/dynamodb/ledger";
import type { WiringPart } from "./part.ts";
import { stackTable } from "./table.ts";

/** The ledger alone, for a function that adds to it and reads nothing of the table. */
export const ledger: WiringPart<"ledger"> = ({ shared }) => {
  const made = dynamoLedger(shared(stackTable));
  return () => ({ ledger: made });
};
