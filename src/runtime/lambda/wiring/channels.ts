import { storedChannelStates, storedToldMessages } from "#stored/told";
import { storedInstallation } from "#stored/installation";
import { newInstallation } from "#stored/installation";
import { storedLedger } from "#stored/ledger";
import { storedPushes } from "#stored/pushes";
import { channelsOf } from "../../channels.ts";
import { channelTools } from "../../channel-tools.ts";
import type { WiringPart } from "./part.ts";
import { stackSecrets } from "./secrets.ts";
import { stackStorage } from "./table.ts";

/** Wires what channels were told, and the rows that their messages show. */
export const told: WiringPart<"told" | "channelStates" | "ledger" | "pushes"> = (surroundings) => {
  const storage = stackStorage(surroundings);
  const made = {
    told: storedToldMessages(storage),
    channelStates: storedChannelStates(storage),
    ledger: storedLedger(storage),
    pushes: storedPushes(storage),
  };
  return () => made;
};

/** Wires the channels with their secrets. */
export const channels: WiringPart<"channels"> = (surroundings) => {
  const { configuration, environment, shared } = surroundings;
  const readSecret = shared(stackSecrets);
  const { readInstallation } = storedInstallation(stackStorage(surroundings), newInstallation);
  const made = channelsOf(configuration, {
    // The variable is only set beside an emulator of AWS, which is on this machine.
    ...channelTools({ isServerless: environment["AWS_ENDPOINT_URL"] === undefined }, environment),
    readSecret: (secret, isFresh) => readSecret(secret, isFresh),
    installation: readInstallation,
  });
  return () => ({ channels: made });
};
