import { pushReceivers } from "#adapters/webhook/receivers";
import type { WiringPart } from "./part.ts";

/** Understands the notifications of registries. */
export const receivers: WiringPart<"receivers"> = () => {
  const known = pushReceivers([]);
  return () => ({ receivers: known });
};
