/** A stretch of time, epoch ms UTC, the end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Spans in order, those that touch or overlap as one; what has no length is left out. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const { start, end } of spans.filter((span) => span.end > span.start).sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** Whether two stretches have a moment in common; one that ends when the other begins has none. */
export function overlaps(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}
