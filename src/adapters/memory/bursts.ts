import type { DurationMs } from "#domain/time";
import type { Bursts } from "#ports/bursts";
import { type Faulty, faults } from "./faults.ts";

interface Marker {
  readonly holder: string;
  readonly leaseUntil: number;
  readonly again: boolean;
}

/** The markers of bursts, in memory. A holder that does not end within the lease (30 seconds when absent) is taken over. */
export function memoryBursts({ lease = 30_000 as DurationMs }: { readonly lease?: DurationMs } = {}): Bursts & Faulty {
  const { around, failNext } = faults();
  const markers = new Map<string, Marker>();
  return {
    failNext,

    begin: ({ registry, repository }, push, now) =>
      around(() => {
        const name = `${registry}/${repository}`;
        const marker = markers.get(name);
        if (marker && marker.holder !== push && marker.leaseUntil > now) {
          markers.set(name, { ...marker, again: true });
          return "joined";
        }
        markers.set(name, { holder: push, leaseUntil: now + lease, again: marker?.again ?? false });
        return "first";
      }),

    end: ({ registry, repository }, push, now) =>
      around(() => {
        const name = `${registry}/${repository}`;
        const marker = markers.get(name);
        if (marker?.holder !== push) return "done";
        if (marker.again) {
          markers.set(name, { holder: push, leaseUntil: now + lease, again: false });
          return "again";
        }
        markers.delete(name);
        return "done";
      }),
  };
}
