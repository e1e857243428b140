import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { ReceiverConfiguration } from "#contracts/config/configuration";
import { receiverKind } from "#contracts/config/receiver-kinds";
import { type Context, type ServerFlags, suggestions, withExamples, withOutput, withServer } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { findServerPlace, namesServer, type ServerPlace } from "../find-server.ts";
import { writeAnswer } from "../output.ts";
import { printable } from "../render/printable.ts";
import { type ReceiverUrl, renderWebhookUrl, type SecretSource, webhookUrlView } from "../render/webhook-url.ts";

interface Flags extends ServerFlags {
  readonly config?: string;
  readonly output: string;
}

/** `lookout webhook url` */
export function addWebhookUrl(group: Command, context: Context): void {
  const command = group
    .command("url")
    .description("show a receiver's URL, its sender's setting and a curl command for a test")
    .argument("<receiver>", "the receiver's name in lookout.yaml")
    .option("--config <file>", "the file with the receiver (default: lookout.yaml)")
    .action((name: string) => show(context, name, command.opts<Flags>()));
  withExamples(withServer(withOutput(command, ["table", "json", "yaml", "name"])), [
    ["lookout webhook url github", "show a local receiver, without its secret"],
    ["lookout webhook url github --stack Lookout -o name", "print only the URL of a stack's receiver"],
  ]);
}

async function show({ world }: Context, name: string, flags: Flags): Promise<void> {
  const { chooseConfiguration } = await import("#runtime/local/chosen-configuration");
  const { configuration, environmentReceivers } = await chooseConfiguration(
    flags.config === undefined ? {} : { config: flags.config },
    { environment: world.environment, readFile: (path) => readFile(resolve(world.cwd, path), "utf8") },
  );
  const { host, port, certFile } = configuration.listen;
  const scheme = certFile === undefined ? "http" : "https";
  const start = { url: `${scheme}://${host.includes(":") ? `[${host}]` : host}:${String(port)}`, found: "" };
  const place = await findServerPlace(world, flags).catch((error: unknown) => {
    if (namesServer(world, flags) || !(error instanceof Failure) || error.exitCode !== exitCodes.unreachable)
      throw error;
    return start;
  });
  const all = [
    ...configuration.receivers,
    ...environmentReceivers.map(({ secret, ...receiver }) => ({ ...receiver, secretEnv: "LOOKOUT_WEBHOOK_SECRET" })),
  ] as readonly ReceiverConfiguration[];
  const entry = all.find((receiver) => receiver.name === name);
  if (entry === undefined) throw unknownReceiver(name, all, flags);
  const receiver = await urlOf(entry, place);
  await writeAnswer(world, flags.output, {
    value: webhookUrlView(receiver),
    text: () =>
      renderWebhookUrl(
        printable(receiver),
        place === start
          ? "No Lookout runs in this directory. lookout start in this directory listens at this URL."
          : `Lookout at ${place.url}, ${place.found}`,
      ),
    names: () => [receiver.url],
  });
}

function unknownReceiver(
  name: string,
  all: readonly ReceiverConfiguration[],
  { config = "lookout.yaml" }: Flags,
): Failure {
  const names = all.map((receiver) => receiver.name);
  const known =
    names.length === 0
      ? "The file has no receivers. To read another file:  --config FILE"
      : `The receivers of the file: ${names.join(", ")}`;
  return new Failure(exitCodes.wrongInput, `${config} has no receiver "${name}".`, [
    ...suggestions(name, names),
    known,
  ]);
}

async function urlOf(
  entry: ReceiverConfiguration,
  { url, stack }: Pick<ServerPlace, "url" | "stack">,
): Promise<ReceiverUrl> {
  const { name, kind, tokens, authentication = receiverKind(kind).authentication } = entry;
  const secret =
    tokens !== undefined ? undefined : stack === undefined ? localSource(entry) : await stackSource(name, stack);
  return {
    receiver: name,
    kind,
    authentication,
    url: stack === undefined ? `${url}/webhooks/${name}` : `${webhookBase(stack)}${name}`,
    ...(tokens === undefined ? {} : { tokens }),
    ...(secret === undefined ? {} : { secret }),
  };
}

function localSource({
  secretEnv,
  secretFile,
  secretParameter,
  secretId,
}: ReceiverConfiguration): SecretSource | undefined {
  if (secretEnv !== undefined) return { variable: secretEnv };
  if (secretFile !== undefined) return { file: secretFile };
  if (secretParameter !== undefined) return { parameter: secretParameter };
  return secretId === undefined ? undefined : { secret: secretId };
}

type Stack = NonNullable<ServerPlace["stack"]>;

function webhookBase({ name, outputs }: Stack): string {
  const base = outputs[stackOutputs.webhookUrl];
  if (base !== undefined) return base;
  throw new Failure(exitCodes.unreachable, `The stack ${name} has no output ${stackOutputs.webhookUrl}.`, [
    "To add the output, deploy the stack again:  npx cdk deploy",
  ]);
}

async function stackSource(receiver: string, { name, region, outputs }: Stack): Promise<SecretSource> {
  const { receiverSecretsOf } = await import("#contracts/config/receiver-secrets");
  const found = receiverSecretsOf(outputs[stackOutputs.receiverSecrets]).find((one) => one.receiver === receiver);
  if (found !== undefined) return { ...found.place, region };
  throw new Failure(exitCodes.unreachable, `The stack ${name} was deployed without the receiver ${receiver}.`, [
    "To add the output, deploy the stack again:  npx cdk deploy",
  ]);
}
