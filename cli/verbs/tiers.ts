import { exitCodes } from "../failure.ts";
import { renderTierGroup, renderTiers } from "../render/tiers.ts";
import { printable } from "../render/printable.ts";
import { serverVerb } from "../server-verb.ts";

interface Flags {
  readonly tag?: string;
}

/** `lookout tiers [GROUP]` */
export const addTiers = serverVerb<[string | undefined], Flags>({
  name: "tiers",
  description: "show how the tiers of groups stand with their newest images; exit 1 if one is halted",
  parameters: [["[group]", "a group, such as shop/api; shows its members"]],
  options: (command) => command.option("--tag <tag>", "judge this tag of the group (default: the newest)"),
  formats: ["table", "json", "yaml", "name"],
  examples: [
    ["lookout tiers", "list all groups"],
    ["lookout tiers shop/api", "show what the tiers of one group wait for"],
  ],
  async answer({ server, style, flags }, group) {
    const query = { ...(group === undefined ? {} : { group }), ...(flags.tag === undefined ? {} : { tag: flags.tag }) };
    const view = await server.ask("listTiers", { query });
    const [only] = view.groups;
    const isHalted = view.groups.some(({ tiers }) => tiers.some(({ state }) => state === "halted"));
    return {
      value: view,
      text: () =>
        group === undefined || only === undefined
          ? renderTiers(printable(view), style)
          : renderTierGroup(printable(only), style),
      names: () => view.groups.map((one) => one.group),
      exitCode: isHalted ? exitCodes.notSo : exitCodes.done,
    };
  },
});
