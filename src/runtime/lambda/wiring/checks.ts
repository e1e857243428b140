import { newInstallation, storedInstallation } from "#stored/installation";
import { channelTools } from "../../channel-tools.ts";
import { checksOfProcess } from "../../checks.ts";
import type { WiringPart } from "./part.ts";
import { stackSecrets } from "./secrets.ts";
import { stackStorage } from "./table.ts";

/** Wires the checks with their secrets. */
export const checks: WiringPart<"checks"> = (surroundings) => {
  const { configuration, environment, shared } = surroundings;
  const readSecret = shared(stackSecrets);
  const made = checksOfProcess(configuration, {
    // The variable is only set beside an emulator of AWS, which is on this machine.
    post: channelTools({ isServerless: environment["AWS_ENDPOINT_URL"] === undefined }, environment).post,
    readSecret: (secret) => readSecret(secret),
    installation: storedInstallation(stackStorage(surroundings), newInstallation).readInstallation,
  });
  return () => ({ checks: made });
};
