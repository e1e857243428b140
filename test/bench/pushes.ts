import type { Registry } from "../cluster/bed/registry.ts";

/** Prepared pushes. The registry has the images already, so that a push is one request. */
export interface PreparedPushes {
  /**
   * Gives the next image its tag, as the last request of a push does.
   *
   * @returns the epoch ms of the request
   */
  push(tag: string): Promise<number>;
}

/** Puts images into a repository under tags (`0.<series>.<n>`) that no policy selects. */
export async function preparePushes(
  registry: Registry,
  repository: string,
  series: number,
  count: number,
): Promise<PreparedPushes> {
  const waiting: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const tag = `0.${series}.${number}`;
    await registry.push(`${repository}:${tag}`, { seed: `${repository} ${tag}` });
    waiting.push(tag);
  }
  const manifests = `http://${registry.host}/v2/${repository}/manifests`;
  const accept = "application/vnd.oci.image.manifest.v1+json";
  return {
    async push(tag) {
      const from = waiting.shift();
      if (from === undefined) throw new Error(`no image was prepared for ${repository}:${tag}`);
      const manifest = await (await fetch(`${manifests}/${from}`, { headers: { accept } })).arrayBuffer();
      const at = Date.now();
      const pushed = await fetch(`${manifests}/${tag}`, {
        method: "PUT",
        headers: { "content-type": accept },
        body: manifest,
      });
      if (!pushed.ok) throw new Error(`the registry answered ${pushed.status} to ${repository}:${tag}`);
      return at;
    },
  };
}
