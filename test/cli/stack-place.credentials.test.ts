import { describe, expect, it } from "vitest";
import { errorXml, onStack } from "./aws.ts";
import { lines } from "./world.ts";

describe("refused AWS credentials", () => {
  const says = (said: string): string =>
    lines(
      `✗ AWS does not accept the credentials: ${said}`,
      "  To see who you are:  aws sts get-caller-identity",
      "  If this fails too:   check AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and this machine's clock",
    );

  it.each([
    { code: "InvalidClientTokenId", message: "The security token included in the request is invalid." },
    { code: "UnrecognizedClientException", message: "The security token included in the request is invalid." },
    { code: "SignatureDoesNotMatch", message: "Signature expired: 20261121T184553Z is now earlier than the clock" },
    { code: "InvalidSignatureException", message: "The request signature we calculated does not match" },
    { code: "AuthFailure", message: "AWS was not able to validate the provided access credentials" },
    { code: "RequestExpired", message: "Request has expired." },
  ])("are reported when a stack is looked up: $code", async ({ code, message }) => {
    const reply = { status: 403, body: errorXml(code, message) };
    const { exitCode, stderr } = await onStack(["status", "--stack", "lookout"], { DescribeStacks: reply });

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: says(message) });
  });

  it.each([
    "The security token included in the request is invalid.",
    "Signature expired: 20261121T184553Z is now earlier than 20261121T190000Z",
  ])("are reported when the API is called: %s", async (message) => {
    const reply = { status: 403, body: { message } };
    const { exitCode, stderr } = await onStack(["status", "--stack", "lookout"], {
      "GET /v1/workloads?sort=state&limit=100": reply,
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: says(message) });
  });

  it("are not reported if a role of any name only lacks a right", async () => {
    const message =
      "User: arn:aws:sts::111122223333:assumed-role/expired-signatures/ana is not authorized to invoke it";
    const reply = { status: 403, body: { message } };
    const { exitCode, stderr } = await onStack(["status", "--stack", "lookout"], {
      "GET /v1/workloads?sort=state&limit=100": reply,
    });

    expect({ exitCode, said: stderr.split("\n")[0] }).toEqual({
      exitCode: 4,
      said: `✗ AWS does not let you use the API of the stack lookout: ${message}`,
    });
  });
});
