import { Option } from "commander";
import type { TokenRequest, TokensView } from "#contracts/api/tokens";
import { kubernetesName } from "#contracts/config/fields";
import { type Role, roles } from "#domain/access/roles";
import { parseDuration } from "#domain/shared/duration";
import { type DurationMs, plus, toIso } from "#domain/shared/time";
import { type AddVerb, choice, repeated, withExamples } from "../context.ts";
import { type EndFlags, endOf, withEnd } from "../end-flags.ts";
import { exitCodes, Failure } from "../failure.ts";
import { printable } from "../render/printable.ts";
import { paintMark } from "../render/style.ts";
import { createdText, renderTokens } from "../render/tokens.ts";
import { serverVerb } from "../server-verb.ts";

interface CreateFlags {
  readonly role: Role;
  readonly cluster?: readonly string[];
  readonly namespace?: readonly string[];
  readonly expires?: DurationMs;
}

/** `lookout token create|list|revoke` */
export const addTokens: AddVerb = (program, context) => {
  const group = program.command("token").description("manage the personal tokens of a local Lookout");
  withExamples(group, [
    ["lookout token create ana --role approver --namespace shop", "make a token, and show it once"],
    ["lookout token list", "list all tokens: role, scope, end and last use"],
    ["lookout token revoke ana", "end a token now"],
  ]);
  for (const add of [addCreate, addList, addRevoke]) add(group, context);
};

const addCreate = serverVerb<[name: string], CreateFlags>({
  name: "create",
  description: "make a person's token for a local Lookout, and show it once",
  parameters: [["<name>", "the name of the person, which histories and votes show", readName]],
  options: (command) =>
    command
      .addOption(
        choice(
          "--role <role>",
          "what the person may do: viewer, approver, operator or owner",
          roles,
        ).makeOptionMandatory(),
      )
      .option("--cluster <name>", "only this cluster; repeatable (default: all clusters)", repeated)
      .option("--namespace <name>", "only this namespace; repeatable; a * at the end stands for any text", repeated)
      .addOption(
        new Option("--expires <duration>", "the life of the token: 12h, 90d (default: without end)").argParser(
          readLife,
        ),
      ),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout token create ana --role approver --namespace shop --expires 90d", "may read and approve in shop"],
    ["lookout token create ben --role operator", "may also freeze, unblock and sweep"],
  ],
  async answer({ world, server, flags: { role, cluster, namespace, expires } }, name) {
    const request: TokenRequest = {
      ...{ name, role },
      ...(cluster === undefined ? {} : { clusters: cluster }),
      ...(namespace === undefined ? {} : { namespaces: namespace }),
      ...(expires === undefined ? {} : { expiresAt: toIso(plus(world.now(), expires)) }),
    };
    const view = await server.ask("createToken", { body: request });
    return { value: view, text: () => createdText(printable(view)) };
  },
});

const addList = serverVerb({
  name: "list",
  description: "list the personal tokens: role, scope, end and last use",
  formats: ["table", "json", "yaml", "name"],
  examples: [["lookout token list --output name", "list names, one per line"]],
  async answer({ server, style }) {
    const view: TokensView = await server.ask("listTokens");
    return {
      value: view,
      text: () => renderTokens(printable(view), style),
      names: () => view.tokens.map(({ name }) => name),
    };
  },
});

const addRevoke = serverVerb<[token: string], EndFlags>({
  name: "revoke",
  description: "end a personal token now",
  parameters: [["<token>", "the name or the id of the token"]],
  options: withEnd,
  formats: ["text", "json", "yaml"],
  examples: [["lookout token revoke ana", ""]],
  async answer({ world, server, flags, style }, token) {
    const view = await server.ask("revokeToken", { params: { token }, query: endOf(flags, world, server) });
    const { name, id } = printable(view);
    return { value: view, text: () => `${paintMark("✓", style)} The token of ${name} (${id}) is revoked.\n` };
  },
});

function readName(text: string): string {
  if (kubernetesName.safeParse(text).success) return text;
  throw new Failure(
    exitCodes.wrongInput,
    `"${text}" is not a name: expected at most 63 lower-case letters, digits and dashes.`,
  );
}

function readLife(text: string): DurationMs {
  const life = parseDuration(text);
  if (!life.ok) throw new Failure(exitCodes.wrongInput, `--expires ${life.problem}.`);
  if (life.value > 0) return life.value;
  throw new Failure(exitCodes.wrongInput, `--expires ${text} is no life: expected for example 12h or 90d.`);
}
