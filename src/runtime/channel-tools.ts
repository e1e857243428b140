import type { HttpPostOptions } from "#adapters/http-post/post";
import type { Post } from "#ports/post";
import type { ChannelWorld } from "./channels.ts";

/**
 * Returns what channels send with, in both shells. The HTTP client and the credentials of AWS are
 * loaded when a channel first needs them.
 */
export function channelTools(
  options: HttpPostOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<ChannelWorld, "post" | "postToAws"> {
  const post = postWith(options);
  return {
    post,
    async postToAws(request) {
      const [{ ownCredentials }, { signedPost }] = await Promise.all([
        import("#adapters/sts/own-credentials"),
        import("#adapters/signature-v4/signed-post"),
      ]);
      const endpoint = environment["AWS_ENDPOINT_URL"];
      const own = endpoint === undefined ? post : postWith({ ...options, isServerless: false });
      const networks = endpoint === undefined ? {} : { allowNetworks: ["127.0.0.0/8", "::1/128"] };
      return signedPost(ownCredentials(), (signed) => own({ ...signed, ...networks }), endpoint)(request);
    },
  };
}

function postWith(options: HttpPostOptions): Post {
  let opened: Promise<Post> | undefined;
  return async (request) => {
    opened ??= import("#adapters/http-post/post").then(({ httpPost }) => httpPost(options));
    return (await opened)(request);
  };
}
