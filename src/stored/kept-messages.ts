import * as z from "zod/mini";
import { sha256 } from "#domain/shared/sha256";
import type { ItemKey } from "#ports/items";
import type { KeptMessage, KeptMessages } from "#ports/kept-messages";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { instant, type Members, text } from "./shape.ts";

/** The kind of the messages of a local process. */
export const keptMessageKind: Kind<KeptMessage> = {
  name: "waiting message",
  form: 1,
  shape: z.object({ body: text, dueAt: instant } satisfies Members<KeptMessage>),
  isAt: ({ body }, { sk }) => sha256(body) === sk,
};

const pk = "MESSAGES";

function keyOf(body: string): ItemKey {
  return { pk, sk: sha256(body) };
}

/** Returns the store of messages. */
export function storedMessages(storage: Storage): KeptMessages {
  const { items } = storage;
  return {
    async keep(messages) {
      for (const message of messages)
        await items.write(
          [{ kind: "put", item: itemOf(keptMessageKind, keyOf(message.body), message) }],
          "storing a message",
        );
    },
    async forget(body) {
      await items.write([{ kind: "remove", key: keyOf(body) }], "removing a handled message");
    },
    list: async () => valuesOf(keptMessageKind, await items.query({ pk }, "listing messages"), storage),
  };
}
