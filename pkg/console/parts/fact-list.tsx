import type { ComponentChildren } from 'preact';
import './fact-list.css';

/** A name and what is known of it; null: it is left out. */
export type Fact = readonly [name: string, value: ComponentChildren, title?: string] | null;

/** What is known of something, line by line. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  const shown = facts.filter((fact) => fact !== null && fact[1] !== null && fact[1] !== '' && fact[1] !== undefined);
  return (
    <dl class="fact-list">
      {shown.map((fact) =>
        fact === null ? null : (
          <div key={fact[0]} class="known">
            <dt>{fact[0]}</dt>
            <dd title={fact[2]}>{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
