import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered } from "./operation.ts";
import { count, instant, limit, list, next, page, part, view } from "./schema.ts";

const kind = z.string().describe("The name of the kind: `freeze`.");

export const KindFormsView = part({
  kind,
  writes: z.int().min(1).describe("The form that this Lookout writes."),
  reads: z.int().min(1).describe("The highest form that this Lookout reads. It reads all forms from 1 on."),
}).describe("The forms of a kind of stored item.");
/** The forms of a kind of stored item. */
export type KindFormsView = z.output<typeof KindFormsView>;

export const FormCountView = part({
  kind,
  form: count.describe("The form. The form is 0 for an item without a form."),
  items: count.describe("The number of items. Of a workload's history, only the newest 100 rows count."),
}).describe("The number of items of a kind in one form.");
/** The number of items of a kind in one form. */
export type FormCountView = z.output<typeof FormCountView>;

export const UnreadableItemView = part({
  kind,
  partition: z.string().describe("The partition key `pk` of the item."),
  sortKey: z.string().describe("The sort key `sk` of the item."),
  why: z.string().describe('The cause, after the name of the item: `is damaged: its member "by" is missing`.'),
  remedy: z.string().describe("The step that helps."),
}).describe("A stored item that this Lookout can't read.");
/** A stored item that this Lookout can't read. */
export type UnreadableItemView = z.output<typeof UnreadableItemView>;

export const StoredItemsView = view("StoredItems", "A page of partitions, and the forms of their stored items.", {
  at: instant,
  version: z.string().describe("The version of Lookout that answers."),
  kinds: list(KindFormsView).describe("The forms of all kinds that this Lookout writes and reads."),
  forms: list(FormCountView).describe("The items of this page."),
  unreadable: list(UnreadableItemView).describe("The unreadable items of this page, at most 100."),
  unreadableItems: count.describe("The number of unreadable items of this page."),
  next,
});
/** A page of partitions, and the forms of their stored items. */
export type StoredItemsView = z.output<typeof StoredItemsView>;

export const StoredItemsQuery = z.strictObject({ limit: limit(200), after: page.after });
/** The requested page of partitions. */
export type StoredItemsQuery = z.output<typeof StoredItemsQuery>;

export const storedOperations = {
  listStoredItems: createRoute({
    method: "get",
    path: "/v1/stored",
    summary: "counts stored items by form, and names unreadable items",
    request: { query: StoredItemsQuery },
    responses: answered(StoredItemsView, 400),
  }),
} as const;
