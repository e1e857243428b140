import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { WorkloadsQuery } from "#contracts/api/workloads";
import { choice, suggestions } from "./context.ts";
import { stateNames } from "./render/state.ts";
import { type PlaceFlags, withPlace } from "./scopes.ts";

/** The flags of kubectl that narrow and sort a list of workloads. */
export interface FilterFlags extends PlaceFlags {
  readonly selector?: string;
  readonly state?: string;
  readonly image?: string;
  readonly sortBy?: WorkloadsQuery["sort"];
}

/** Adds the flags of a place, `-l`, `--state`, `--image` and `--sort-by`. */
export function withFilters(command: Command): Command {
  return withPlace(command)
    .option("-l, --selector <labels>", "only workloads with these labels, as in kubectl: app=web,tier!=db")
    .option("--state <states>", `only these states, with commas between: ${stateNames.join(", ")}`, readStates)
    .option("--image <text>", "only workloads with an image whose name contains this text")
    .addOption(choice("--sort-by <order>", "the order", ["state", "name", "since"]));
}

/** Returns the part of a list's query that the flags name. */
export function filterQuery({ selector, state, image }: FilterFlags) {
  return {
    ...(selector === undefined ? {} : { selector }),
    ...(state === undefined ? {} : { state }),
    ...(image === undefined ? {} : { image }),
  };
}

/** Returns the filters as they are typed: `-l app=web --state held`. Empty without a filter. */
export function filterWords({ namespace, cluster, selector, state, image }: FilterFlags): string {
  const flags = { "-n": namespace, "--cluster": cluster, "-l": selector, "--state": state, "--image": image };
  return Object.entries(flags)
    .flatMap(([flag, value]) => (value === undefined ? [] : [`${flag} ${value}`]))
    .join(" ");
}

function readStates(text: string): string {
  const states = text.split(",").map((state) => state.trim());
  const unknown = states.find((state) => !stateNames.includes(state));
  if (unknown === undefined) return states.join(",");
  throw new InvalidArgumentError(
    [`No state is called "${unknown}". Expected: ${stateNames.join(", ")}.`, ...suggestions(unknown, stateNames)].join(
      "\n",
    ),
  );
}
