/** The settings of an installation: lookout.yaml, or the same keys as an object. */
import type { Construct } from "constructs";
import type { Configuration } from "#contracts/config/configuration";
import { checked, configurationFor } from "../shared/configuration.ts";

/** The settings of an installation. Each problem is an error of the construct, so nothing is deployed. */
export class Settings {
  /** Returns the configuration, and adds its problems to the construct. */
  readonly bind: (scope: Construct) => Configuration;

  private constructor(bind: (scope: Construct) => Configuration) {
    this.bind = bind;
  }

  /**
   * Reads `lookout.yaml`.
   *
   * @param path - the default is `lookout.yaml` of the working directory, if it exists.
   */
  static fromFile(path?: string): Settings {
    return new Settings((scope) => configurationFor(scope, path));
  }

  /** Takes the keys of `lookout.yaml` as an object. */
  static of(keys: Readonly<Record<string, unknown>>): Settings {
    return new Settings((scope) => checked(scope, keys));
  }
}
