import { Option } from "commander";
import { type AddVerb, withExamples } from "../context.ts";

/** `lookout demo` */
export const addDemo: AddVerb = (program, { world, endWith }) => {
  const command = program
    .command("demo")
    .description(
      "play the whole way of an update once, and end: a push, a held update, a broken image that is rolled back",
    )
    .addOption(
      new Option("-o, --output <format>", "how it tells what happens").choices(["text", "json"]).default("text"),
    )
    .action(async ({ output }: { readonly output: "text" | "json" }) => {
      const { playDemo } = await import("#runtime/local/demo");
      endWith(await playDemo({ output, outputClosed: world.outputClosed() }));
    });
  withExamples(command, [["lookout demo", "needs no cluster, no registry and no account"]]);
};
