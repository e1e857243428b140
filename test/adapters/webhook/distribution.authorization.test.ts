import { describe, expect, it } from "vitest";
import { receiverWith, requestOf } from "./fixtures.ts";

const secret = "a-secret-of-the-registry";
const authorization = `Bearer ${secret}`;
const receiver = receiverWith({ name: "harbour", kind: "distribution", secret });

describe("the Authorization of a distribution receiver", () => {
  it("may be the whole value of the header", async () => {
    const basic = receiverWith({ name: "harbour", kind: "distribution", secret: "Basic dTpw" });
    expect((await basic.receive(requestOf({ events: [] }, { Authorization: "Basic dTpw" }))).kind).toBe("ignored");
    expect((await basic.receive(requestOf({ events: [] }, { Authorization: "Basic dTpx" }))).kind).toBe("unauthorized");
  });

  it.each([
    { because: "missing", headers: {} },
    { because: "empty", headers: { authorization: "" } },
    { because: "without its secret", headers: { authorization: "Bearer " } },
    { because: "cut short", headers: { authorization: authorization.slice(0, -1) } },
    { because: "too long", headers: { authorization: `${authorization}x` } },
    { because: "of another scheme", headers: { authorization: `Basic ${secret}` } },
  ])("is refused when it is $because", async ({ headers }) => {
    expect((await receiver.receive(requestOf({ events: [] }, headers))).kind).toBe("unauthorized");
  });

  it.each([undefined, "", "  "])("is refused with the secret %j, whatever it is", async (unset) => {
    const open = receiverWith({ name: "harbour", kind: "distribution", secret: unset });
    for (const value of ["", "Bearer", "Bearer ", "Bearer undefined", `Bearer ${unset ?? ""}`, unset ?? ""]) {
      expect((await open.receive(requestOf({ events: [] }, { authorization: value }))).kind).toBe("unauthorized");
    }
  });
});
