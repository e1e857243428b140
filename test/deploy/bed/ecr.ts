import { createHash } from "node:crypto";
import {
  CreateRepositoryCommand,
  ECRClient,
  PutImageCommand,
  RepositoryAlreadyExistsException,
} from "@aws-sdk/client-ecr";
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { account, type AwsOptions, region } from "./emulator.ts";

/** The registry of the emulator's account. */
export interface Ecr {
  /** The host in image references. */
  readonly host: string;
  /**
   * Stores an image without an event, and returns its digest. The same build gives the same digest.
   */
  put(repository: string, tag: string, build?: string): Promise<string>;
  /** Sends the event of a push to the default bus, as ECR does. */
  tell(repository: string, tag: string, digest: string): Promise<void>;
  /** Stores an image and sends its event. Another build of a tag is another image. */
  push(repository: string, tag: string, build?: string): Promise<string>;
}

/**
 * Returns the emulator's ECR. The emulator sends no events of pushes, so this client sends them.
 */
export function ecrOf(options: AwsOptions): Ecr {
  const images = new ECRClient(options);
  const events = new EventBridgeClient(options);
  const put: Ecr["put"] = async (repository, tag, build = "") => {
    await makeRepository(images, repository);
    const imageManifest = manifestOf(`${repository}:${tag}${build}`);
    const imageManifestMediaType = "application/vnd.oci.image.manifest.v1+json";
    await images.send(
      new PutImageCommand({ repositoryName: repository, imageTag: tag, imageManifest, imageManifestMediaType }),
    );
    return digestOf(imageManifest);
  };
  const tell = async (repository: string, tag: string, digest: string): Promise<void> => {
    const entry = { Source: "aws.ecr", DetailType: "ECR Image Action", Detail: detailOf(repository, tag, digest) };
    const { FailedEntryCount } = await events.send(new PutEventsCommand({ Entries: [entry] }));
    if (FailedEntryCount !== 0) throw new Error(`the bus does not accept the event of ${repository}:${tag}`);
  };
  return {
    host: `${account}.dkr.ecr.${region}.amazonaws.com`,
    put,
    tell,
    async push(repository, tag, build) {
      const digest = await put(repository, tag, build);
      await tell(repository, tag, digest);
      return digest;
    },
  };
}

async function makeRepository(images: ECRClient, repositoryName: string): Promise<void> {
  try {
    await images.send(new CreateRepositoryCommand({ repositoryName }));
  } catch (error) {
    if (!(error instanceof RepositoryAlreadyExistsException)) throw error;
  }
}

function detailOf(repository: string, tag: string, digest: string): string {
  return JSON.stringify({
    "action-type": "PUSH",
    result: "SUCCESS",
    "repository-name": repository,
    "image-tag": tag,
    "image-digest": digest,
    "manifest-media-type": "application/vnd.oci.image.manifest.v1+json",
    "artifact-media-type": "application/vnd.oci.image.config.v1+json",
  });
}

function manifestOf(seed: string): string {
  const config = digestOf(`config of ${seed}`);
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: config, size: 2 },
    layers: [],
  });
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
