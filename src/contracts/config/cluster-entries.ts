import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";

/** The keys of an entry that `lookout cluster add` writes. */
export interface AddedCluster {
  readonly name: string;
  readonly kubeconfig: string;
}

/**
 * Returns the text of a `lookout.yaml` with an entry for a cluster, with its comments and its order.
 * An entry with the same name keeps its other keys.
 *
 * @param text - a valid `lookout.yaml`.
 * @returns undefined if the list of clusters has a form that can't be edited, such as an alias.
 */
export function withClusterEntry(text: string, { name, kubeconfig }: AddedCluster): string | undefined {
  const document = parseDocument(text);
  const list = clustersIn(document);
  if (list === "other") return undefined;
  if (list === undefined) {
    if (document.contents === null) document.contents = document.createNode({}) as never;
    document.set("clusters", document.createNode([{ name, kubeconfig }]));
    return written(document, text);
  }
  const entry = entryOf(list, name);
  if (entry === undefined) {
    list.flow = false;
    list.add(document.createNode({ name, kubeconfig }));
  } else {
    if (entry.get("kubeconfig") === kubeconfig && !entry.has("context")) return text;
    entry.delete("context");
    entry.set("kubeconfig", kubeconfig);
  }
  return written(document, text);
}

/**
 * Returns the text of a `lookout.yaml` without the entry of a cluster. The text is empty if nothing
 * else is in the file. Undefined as for {@link withClusterEntry}.
 */
export function withoutClusterEntry(text: string, name: string): string | undefined {
  const document = parseDocument(text);
  const list = clustersIn(document);
  if (list === "other") return undefined;
  const entry = list === undefined ? undefined : entryOf(list, name);
  if (list === undefined || entry === undefined) return text;
  list.items.splice(list.items.indexOf(entry), 1);
  if (list.items.length > 0) return written(document, text);
  list.flow = true;
  if (hasComments(document, list)) return written(document, text);
  document.delete("clusters");
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  if (!isEmpty) return written(document, text);
  const comments = [document.commentBefore, document.contents?.commentBefore, document.comment];
  return comments
    .filter((comment) => typeof comment === "string")
    .map((comment) => `${comment.replaceAll(/^/gm, "#")}\n`)
    .join("");
}

/** Returns whether comments belong to the list or to its key, which must not get lost. */
function hasComments({ contents }: Document, list: YAMLSeq): boolean {
  const pair = isMap(contents) ? contents.items.find(({ value }) => value === list) : undefined;
  const commented = [list, ...(isScalar(pair?.key) ? [pair.key] : [])];
  return commented.some(({ comment, commentBefore }) => (comment ?? commentBefore ?? "") !== "");
}

function clustersIn(document: Document): YAMLSeq | undefined | "other" {
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
  if (!isMap(contents)) return "other";
  const list: unknown = contents.get("clusters", true);
  if (list === undefined || (isScalar(list) && list.value === null)) return undefined;
  return isSeq(list) && list.items.every((item) => isMap(item)) ? list : "other";
}

function entryOf(list: YAMLSeq, name: string): YAMLMap | undefined {
  return list.items.filter((item) => isMap(item)).find((item) => item.get("name") === name);
}

/** Returns the new text, with the indentation of lists and the spaces in brackets as before. */
function written(document: Document, before: string): string {
  const indentSeq = !/^[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n- /m.test(before);
  const flowCollectionPadding = !/[{[][^\s\]}]/.test(before);
  return document.toString({ lineWidth: 0, indentSeq, flowCollectionPadding });
}
