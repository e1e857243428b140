/** Returns `answer` with a cache of its `most` newest answers. Errors are not cached. */
export function memoize<Answer extends object>(
  most: number,
  answer: (question: string) => Answer,
): (question: string) => Answer {
  const known = new Map<string, Answer>();
  return (question) => {
    const cached = known.get(question);
    if (cached !== undefined) return cached;
    const answered = answer(question);
    const [oldest] = known.keys();
    if (known.size >= most && oldest !== undefined) known.delete(oldest);
    known.set(question, answered);
    return answered;
  };
}
