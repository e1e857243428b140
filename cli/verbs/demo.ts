import { type AddVerb, choice, styleOf, withExamples } from "../context.ts";

interface DemoFlags {
  readonly output: "text" | "json";
  readonly tour: "usual" | "told";
}

/** `lookout demo` */
export const addDemo: AddVerb = (program, { world, setExitCode }) => {
  const command = program
    .command("demo")
    .description("run a 20-second tour: a push, a held update, a broken image that is rolled back, and an approval")
    .addOption(choice("-o, --output <format>", "the format of the events", ["text", "json"]).default("text"))
    .addOption(
      choice("--tour <name>", "the tour; told: what a receiver on this machine is told", ["usual", "told"]).default(
        "usual",
      ),
    )
    .action(async ({ output, tour }: DemoFlags) => {
      const { playDemo } = await import("#runtime/local/demo");
      const isPlain = !styleOf(world).colour;
      setExitCode(await playDemo({ output, tour, isPlain, outputClosed: world.outputClosed() }));
    });
  withExamples(command, [
    ["lookout demo", "needs no cluster, no registry and no account"],
    ["lookout demo --tour told", "shows the signed messages of a channel"],
  ]);
};
