import { manifestOfChannel } from "../answers/channel-manifest.ts";
import { type AddVerb, withExamples, withOutput } from "../context.ts";
import { exitCodes } from "../failure.ts";
import { renderChannelExplanation, renderChannels, renderChannelTest } from "../render/channels.ts";
import { writeAnswer } from "../output.ts";
import { readChosen } from "../read-configuration.ts";
import { printable } from "../render/printable.ts";
import { serverVerb } from "../server-verb.ts";

const addList = serverVerb({
  name: "list",
  description: "list channels, what they tell, and how they do; exit 1 if one tells nothing",
  formats: ["table", "json", "yaml", "name"],
  examples: [["lookout channel list", ""]],
  async answer({ server, style }) {
    const view = await server.ask("listChannels");
    const isBroken = view.channels.some(({ state }) => state === "off" || state === "unusable");
    return {
      value: view,
      text: () => renderChannels(printable(view), style),
      names: () => view.channels.map(({ name }) => name),
      exitCode: isBroken ? exitCodes.notSo : exitCodes.done,
    };
  },
});

const addTest = serverVerb<[string]>({
  name: "test",
  description: "send a harmless message to a channel; exit 1 if it is not taken",
  parameters: [["<channel>", "the name of an entry of channels in lookout.yaml"]],
  formats: ["text", "json", "yaml"],
  examples: [["lookout channel test releases", ""]],
  async answer({ server, style }, channel) {
    const view = await server.ask("testChannel", { params: { channel } });
    return {
      value: view,
      text: () => renderChannelTest(printable(view), style),
      exitCode: view.outcome === "told" ? exitCodes.done : exitCodes.notSo,
    };
  },
});

interface ExplainFlags {
  readonly workload?: string;
}

const addExplain = serverVerb<[string, string], ExplainFlags>({
  name: "explain",
  description: "explain what a channel does with a fact, and why",
  parameters: [
    ["<channel>", "the name of an entry of channels in lookout.yaml"],
    ["<fact>", "the name of a fact such as RolledBack, or the id of one (lookout watch -o json)"],
  ],
  options: (command) => command.option("--workload <key>", "a workload, as CLUSTER/NAMESPACE/KIND/NAME"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout channel explain releases RolledBack", ""],
    ["lookout channel explain releases UpdateHeld --workload prod/shop/deployment/api", ""],
  ],
  async answer({ server, flags, style }, channel, fact) {
    const query = flags.workload === undefined ? { fact } : { fact, workload: flags.workload };
    const view = await server.ask("explainChannel", { params: { channel }, query });
    return { value: view, text: () => renderChannelExplanation(printable(view), style) };
  },
});

const addManifest: AddVerb = (group, { world }) => {
  const command = group
    .command("manifest")
    .description("print the manifest of the app that a channel needs, such as Slack's")
    .argument("<channel>", "the name of an entry of channels in lookout.yaml")
    .option("--config <file>", "the file with the channel (default: lookout.yaml)")
    .action(async (channel: string) => {
      const { config, output } = command.opts<{ readonly config?: string; readonly output: string }>();
      const { configuration } = await readChosen(world, config);
      const value = await manifestOfChannel(channel, configuration);
      await writeAnswer(world, output, { value, text: () => "" });
    });
  withExamples(withOutput(command, ["yaml", "json"]), [
    ["lookout channel manifest releases", "for the page that creates an app in Slack"],
  ]);
};

/** `lookout channel list|test|explain|manifest` */
export const addChannel: AddVerb = (program, context) => {
  const group = program.command("channel").description("list and try the channels that tell people and programs");
  withExamples(group, [
    ["lookout channel list", "how each channel does"],
    ["lookout channel test releases", "send a harmless message"],
    ["lookout channel explain releases RolledBack", "why something is told or not"],
    ["lookout channel manifest releases", "the app that the channel needs in Slack"],
  ]);
  for (const add of [addList, addTest, addExplain, addManifest]) add(group, context);
};
