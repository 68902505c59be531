/** A part of a bar. */
export interface BarPart {
  value: number;
  tone: 'accent' | 'warn' | 'plain' | 'good';
}

/** Parts of a whole as one line; it says nothing that does not stand beside it. */
export function Bar({ parts, whole }: { parts: readonly BarPart[]; whole: number }) {
  let from = 0;
  const shown = parts.map(({ value, tone }) => {
    const width = whole > 0 ? Math.max(0, Math.min(100 - from, (value / whole) * 100)) : 0;
    const part = { from, width, tone };
    from += width;
    return part;
  });
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <rect class="bar-whole" width="100" height="10" />
      {shown.map((part) => (
        <rect key={part.tone} class={`bar-${part.tone}`} x={part.from} width={part.width} height="10" />
      ))}
    </svg>
  );
}
