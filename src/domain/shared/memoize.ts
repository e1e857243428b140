/**
 * Makes a function that remembers its answers: each question is put to `answer` once, as long as no more than `most` are known; of more,
 * the oldest is forgotten. What is thrown is not remembered.
 */
export function memoize<Answer extends object>(
  most: number,
  answer: (question: string) => Answer,
): (question: string) => Answer {
  const known = new Map<string, Answer>();
  return (question) => {
    const remembered = known.get(question);
    if (remembered !== undefined) return remembered;
    const answered = answer(question);
    const [oldest] = known.keys();
    if (known.size >= most && oldest !== undefined) known.delete(oldest);
    known.set(question, answered);
    return answered;
  };
}
