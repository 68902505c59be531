import type { Signal } from '@preact/signals';
import { Time } from '../time.tsx';
import { type Fact, saidIn, unsaid } from './said.ts';
import './facts.css';

const anchorOf = (fact: number): string => `fact-${fact + 1}`;

/** The text with a number behind each sentence that states a fact; what is looked at here is shown there. */
export function MarkedText({
  body,
  facts,
  chosen,
}: {
  body: string;
  facts: readonly Fact[];
  chosen: Signal<number | null>;
}) {
  const choose = (fact: number | null): void => {
    chosen.value = fact;
  };
  return (
    <div class="marked pre">
      {saidIn(body, facts).map(({ text, facts: stated }) => {
        const [first] = stated;
        if (first === undefined) return text;
        const isChosen = chosen.value !== null && stated.includes(chosen.value);
        return (
          <>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the numbers behind it do the same for keys */}
            <span
              class={isChosen ? 'said said-chosen' : 'said'}
              onMouseEnter={() => choose(first)}
              onMouseLeave={() => choose(null)}
            >
              {text}
            </span>
            {stated.map((fact) => (
              <button
                key={fact}
                type="button"
                class="said-ref"
                aria-label={`Fact ${fact + 1}: ${facts[fact]?.text ?? ''}`}
                onFocus={() => choose(fact)}
                onBlur={() => choose(null)}
                onMouseEnter={() => choose(fact)}
                onMouseLeave={() => choose(null)}
                onClick={() => document.getElementById(anchorOf(fact))?.scrollIntoView({ block: 'nearest' })}
              >
                {fact + 1}
              </button>
            ))}
          </>
        );
      })}
    </div>
  );
}

const SOURCES: readonly (readonly [string, string])[] = [
  ['signal:', 'Signal'],
  ['site:', 'Web page'],
  ['lead:', 'Lead'],
  ['profile', 'Profile'],
  ['playbook', 'Playbook'],
  ['conversation', 'Conversation'],
];

/** Where a fact is from, in words where its beginning is known. */
function sourceOf(source: string): string {
  const known = SOURCES.find(([begins]) => source.startsWith(begins));
  if (!known) return source;
  const rest = source.slice(known[0].length).replace(/^[:/]+/, '');
  return rest === '' ? known[1] : `${known[1]}, ${rest.replaceAll('_', ' ')}`;
}

/** What the draft may say, with where it is from. */
export function Facts({
  body,
  facts,
  chosen,
  zone,
}: {
  body: string;
  facts: readonly Fact[];
  chosen: Signal<number | null>;
  zone: string | null;
}) {
  return (
    <section class="side-part">
      <h3>Facts it states</h3>
      {facts.length === 0 ? <p class="soft small">None: nothing in it comes from a record.</p> : null}
      <ol class="facts">
        {facts.map((fact, place) => (
          <li
            key={place}
            id={anchorOf(place)}
            class={chosen.value === place ? 'fact fact-chosen' : 'fact'}
            onMouseEnter={() => {
              chosen.value = place;
            }}
            onMouseLeave={() => {
              chosen.value = null;
            }}
          >
            <span class="fact-number" aria-hidden="true">
              {place + 1}
            </span>
            <div>
              <p>{fact.text}</p>
              <p class="soft small">
                {sourceOf(fact.source)}
                {fact.at === null ? null : (
                  <>
                    {' · '}
                    <Time at={fact.at} zone={zone} />
                  </>
                )}
                {unsaid(body, fact) ? ' · no sentence states it now' : ''}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
