/** A value of an event that holds no others. */
export type Scalar = string | number | boolean | null;

/** Places in arrays: at most one for each array, by the number that the array got when the event was read. */
export type Places = ReadonlyMap<number, number>;

/** A value of a field. A field in an array has one for each element, and each lies at its place in that array and those around it. */
export interface Leaf {
  readonly value: Scalar;
  readonly places: Places;
}

/** Which fields a pattern asks for. Names of nested fields are joined by dots, as `detail.state`. */
export interface FieldNames {
  readonly wanted: ReadonlySet<string>;
  /** What a wanted field may lie in: `detail`. */
  readonly around: ReadonlySet<string>;
}

/** Makes the names of fields ready for {@link leavesOf}. */
export function fieldNames(names: Iterable<string>): FieldNames {
  const wanted = new Set(names);
  const around = new Set<string>();
  for (const name of wanted) {
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) around.add(name.slice(0, dot));
  }
  return { wanted, around };
}

const nowhere: Places = new Map();

/** What lies in more arrays than that is not looked at: readers of JSON give up there too, and each array costs those around it. */
const deepestArrays = 100;

/**
 * Finds the values of the fields that are wanted. An empty object or array has none, so that a field which holds nothing else is not there;
 * an element of an array that holds no others is a value of the array's own field.
 */
export function leavesOf(
  event: Readonly<Record<string, unknown>>,
  { wanted, around }: FieldNames,
): ReadonlyMap<string, readonly Leaf[]> {
  const leaves = new Map<string, Leaf[]>();
  let arrays = 0;
  const pending: { readonly name: string; readonly value: unknown; readonly places: Places }[] = [];
  const enter = (value: object, places: Places, within?: string): void => {
    for (const [key, inner] of Object.entries(value)) {
      const name = within === undefined ? key : `${within}.${key}`;
      if (wanted.has(name) || around.has(name)) pending.push({ name, value: inner, places });
    }
  };

  enter(event, nowhere);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { name, value, places } = next;
    if (Array.isArray(value)) {
      if (places.size >= deepestArrays) continue;
      const array = arrays++;
      for (const [index, element] of (value as readonly unknown[]).entries()) {
        const holdsOthers = typeof element === "object" && element !== null;
        pending.push({ name, value: element, places: holdsOthers ? new Map([...places, [array, index]]) : places });
      }
    } else if (typeof value === "object" && value !== null) enter(value, places, name);
    else if (wanted.has(name)) leafList(leaves, name).push({ value: value as Scalar, places });
  }
  return leaves;
}

function leafList(leaves: Map<string, Leaf[]>, name: string): Leaf[] {
  const list = leaves.get(name) ?? [];
  leaves.set(name, list);
  return list;
}

/** Joins two sets of places; undefined when they name different elements of one array. */
export function together(left: Places, right: Places): Places | undefined {
  if (right.size === 0) return left;
  for (const [array, index] of right) if ((left.get(array) ?? index) !== index) return undefined;
  return new Map([...left, ...right]);
}
