import { lookoutVersion } from "#contracts/version";
import { type AddVerb, type ServerFlags, withExamples, withOutput, withServer } from "../context.ts";
import { Failure } from "../failure.ts";
import { kindOf, writeAnswer } from "../output.ts";
import { findServer } from "../server.ts";
import { printableText } from "#domain/shared/shown-text";

interface Flags extends ServerFlags {
  readonly output: string;
  readonly client?: true;
}

/** `lookout version` */
export const addVersion: AddVerb = (program, { world }) => {
  const command = program
    .command("version")
    .description("show the versions of this command and of the server")
    .option("--client", "only the version of this command")
    .action(async (flags: Flags) => {
      const server = flags.client === true ? undefined : await serverVersion();
      const value = { client: lookoutVersion, ...(server === undefined ? {} : { server }) };
      const rows = [
        `client   ${lookoutVersion}`,
        ...(server === undefined
          ? []
          : ["version" in server ? `server   ${server.version}   ${server.at}` : `server   ${server.problem}`]),
      ];
      await writeAnswer(
        world,
        flags.output,
        { value, text: () => `${rows.map(printableText).join("\n")}\n` },
        kindOf(command),
      );

      async function serverVersion() {
        try {
          const found = await findServer(world, flags);
          const { version } = await found.ask("listStoredItems", { query: { limit: 1 } });
          return { version, at: found.label };
        } catch (error) {
          if (error instanceof Failure) return { problem: error.message };
          throw error;
        }
      }
    });
  withExamples(withServer(withOutput(command, ["text", "json", "yaml"])), [
    ["lookout version", "compare this command with the server"],
    ["lookout version --client", "send no request"],
  ]);
};
