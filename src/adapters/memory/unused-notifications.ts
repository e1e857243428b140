import type { UnusedByReceiver, UnusedNotifications } from "#ports/unused-notifications";

/** Returns the notifications since the start of the process, with one entry per receiver. */
export function memoryUnusedNotifications(): UnusedNotifications {
  const byReceiver = new Map<string, UnusedByReceiver>();
  return {
    add: (notification) => {
      const { receiver, at } = notification;
      const { count, firstAt } = byReceiver.get(receiver) ?? { count: 0, firstAt: at };
      byReceiver.set(receiver, { ...notification, count: count + 1, firstAt });
    },
    list: () => [...byReceiver.values()],
  };
}
