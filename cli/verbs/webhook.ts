import type { Command } from "commander";
import { type ReceiverKind, receiverKinds } from "#contracts/config/receiver-kinds";
import { parseRegistryHost } from "#contracts/config/registry-host";
import { type WebhookAnswer, webhookAnswer } from "../answers/webhook.ts";
import { type AddVerb, choice, type Context, repeated, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText } from "../input.ts";
import { writeAnswer } from "../output.ts";
import { printable } from "../render/printable.ts";
import { renderNotification } from "../render/webhook.ts";
import type { World } from "../world.ts";
import { addWebhookUrl } from "./webhook-url.ts";

interface Flags {
  readonly receiver?: ReceiverKind;
  readonly header: readonly string[];
  readonly query?: string;
  readonly secretEnv?: string;
  readonly registry?: string;
  readonly output: string;
}

/** `lookout webhook parse | url` */
export const addWebhook: AddVerb = (program, context) => {
  const group = program.command("webhook").description("try notifications of registries, and show a receiver's URL");
  const command: Command = group
    .command("parse")
    .description("parse a registry's notification; exit 1 if the notification reports no push")
    .argument("[body]", "the file with the notification's body; - means stdin")
    .addOption(choice("--receiver <kind>", "the kind of receiver", Object.keys(receiverKinds)))
    .option("--header <header>", "a header of the notification: 'X-GitHub-Event: package'; repeatable", repeated, [])
    .option("--query <query>", "the query string of the URL, without the ?")
    .option("--registry <host>", "the receiver's registry in lookout.yaml (default: the receiver has none)")
    .option("--secret-env <variable>", "a variable with the receiver's secret (default: the secret is not checked)")
    .action((body: string | undefined, flags: Flags) => parse(context, body, flags));
  withExamples(withOutput(command, ["table", "json", "yaml", "name"]), [
    [
      "lookout webhook parse --receiver ghcr --header 'X-GitHub-Event: package' body.json",
      "show the pushes of a notification",
    ],
  ]);
  addWebhookUrl(group, context);
};

async function parse(context: Context, file: string | undefined, flags: Flags): Promise<void> {
  const { receiver, header, query, secretEnv, registry } = flags;
  if (receiver === undefined)
    throw new Failure(
      exitCodes.wrongInput,
      "The kind of receiver is missing: add --receiver with a kind, for example --receiver ghcr.",
    );
  if (file === undefined)
    throw new Failure(exitCodes.wrongInput, "The file with the body is missing: name a file, or - for stdin.");
  const { world } = context;
  const settings = { kind: receiver, registry: registryIn(registry), secret: secretIn(secretEnv, world) };
  const notification = { query, headers: Object.fromEntries(header.map(headerOf)), body: await inputText(file, world) };
  const { tryNotification } = await import("#runtime/webhook-trial");
  const answer = webhookAnswer(await tryNotification(settings, notification));
  await writeAnswer(world, flags.output, {
    value: answer,
    text: () => renderNotification(printable(answer), styleOf(world)),
    names: () => namesOf(answer),
  });
  if (answer.outcome !== "push") context.setExitCode(exitCodes.notSo);
}

function registryIn(typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const registry = parseRegistryHost(typed);
  if (registry !== undefined) return registry;
  throw new Failure(exitCodes.wrongInput, `"${typed}" is not a registry's host.`, [
    "Expected as in lookout.yaml, for example: registry.example.com:5000",
  ]);
}

function secretIn(variable: string | undefined, { environment }: World): string | undefined {
  if (variable === undefined) return undefined;
  const secret = environment[variable] ?? "";
  if (secret !== "") return secret;
  throw new Failure(
    exitCodes.wrongInput,
    `The variable ${variable} is not set. Its value must be the receiver's secret.`,
  );
}

function headerOf(typed: string): readonly [string, string] {
  const colon = typed.indexOf(":");
  if (colon > 0) return [typed.slice(0, colon).trim(), typed.slice(colon + 1).trim()];
  throw new Failure(exitCodes.wrongInput, `"${typed}" is not a header.`, [
    "Expected for example: 'Content-Type: application/json'",
  ]);
}

function namesOf({ pushes }: WebhookAnswer): readonly string[] {
  return pushes.flatMap(({ registry, repository, tags, digest }) => {
    const name = registry === null ? repository : `${registry}/${repository}`;
    return tags.length === 0 ? [`${name}@${digest ?? ""}`] : tags.map((tag) => `${name}:${tag}`);
  });
}
