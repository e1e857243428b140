/** A plain CloudFormation template of the stack, for people who deploy without the CDK. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  App,
  CfnParameter,
  type FileAssetLocation,
  type FileAssetSource,
  type IStackSynthesizer,
  type ISynthesisSession,
  StackSynthesizer,
} from "aws-cdk-lib";
import { zipSync, type Zippable } from "fflate";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { filesIn } from "./files.ts";

/** The template, and the archive of all functions that its parameters name. */
export interface PlainTemplate {
  readonly template: string;
  readonly functions: Uint8Array;
}

/**
 * Returns the stack without settings. Its parameters `FunctionsBucket` and `FunctionsKey` name the
 * archive, so it needs no bootstrapped account.
 *
 * @param functions - the output folder of `bundleFunctions`
 */
export async function plainTemplate(functions: string): Promise<PlainTemplate> {
  const outdir = await mkdtemp(join(tmpdir(), "lookout-template-"));
  try {
    const app = new App({ outdir });
    const synthesizer = new ParameterSynthesizer();
    // The CDK's own declarations differ under exactOptionalPropertyTypes.
    new LookoutStack(app, "Lookout", {
      functions,
      settings: Settings.of({}),
      synthesizer: synthesizer as IStackSynthesizer,
    });
    app.synth();
    const template = await readFile(join(outdir, "Lookout.template.json"), "utf8");
    const [asset, ...others] = synthesizer.assets;
    if (asset === undefined || others.length > 0) throw new Error(`the stack has ${synthesizer.assets.size} assets`);
    return { template, functions: await archiveOf(join(outdir, asset)) };
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
}

/** Lets parameters of the template name the place of its only asset. */
class ParameterSynthesizer extends StackSynthesizer {
  /** The paths of the assets, from the output folder. */
  readonly assets = new Set<string>();
  private place: FileAssetLocation | undefined;

  addFileAsset({ fileName }: FileAssetSource): FileAssetLocation {
    if (fileName === undefined) throw new Error("only files are assets");
    this.assets.add(fileName);
    this.place ??= {
      bucketName: this.parameter("FunctionsBucket", "The bucket of lookout-functions.zip, in this region"),
      objectKey: this.parameter("FunctionsKey", "The key of lookout-functions.zip in its bucket"),
      httpUrl: "",
      s3ObjectUrl: "",
    };
    return this.place;
  }

  private parameter(id: string, description: string): string {
    return new CfnParameter(this.boundStack, id, { type: "String", description }).valueAsString;
  }

  addDockerImageAsset(): never {
    throw new Error("the stack has no images");
  }

  synthesize(session: ISynthesisSession): void {
    this.synthesizeTemplate(session);
    this.emitArtifact(session);
  }
}

/** Returns an archive of a folder, the same for the same files. */
async function archiveOf(folder: string): Promise<Uint8Array> {
  const entries: Zippable = {};
  for (const path of await filesIn(folder)) entries[path] = await readFile(join(folder, path));
  return zipSync(entries, { level: 9, mtime: "1980-01-01T00:00:00" });
}
