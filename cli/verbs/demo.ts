import { type AddVerb, choice, styleOf, withExamples } from "../context.ts";

/** `lookout demo` */
export const addDemo: AddVerb = (program, { world, setExitCode }) => {
  const command = program
    .command("demo")
    .description("run a 20-second tour: a push, a held update, a broken image that is rolled back, and an approval")
    .addOption(choice("-o, --output <format>", "the format of the events", ["text", "json"]).default("text"))
    .action(async ({ output }: { readonly output: "text" | "json" }) => {
      const { playDemo } = await import("#runtime/local/demo");
      setExitCode(await playDemo({ output, isPlain: !styleOf(world).colour, outputClosed: world.outputClosed() }));
    });
  withExamples(command, [["lookout demo", "needs no cluster, no registry and no account"]]);
};
