/** Returns a number with its noun: `1 workload`, `2 workloads`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
