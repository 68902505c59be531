import { titleWords } from '../../parts/words.ts';
import { byDomain, type Level, levelOf, levelsOf, withLevel } from './scope-levels.ts';

/** What a key may, domain by domain. @param given scopes that may be given at all */
export function ScopesChoice({
  given,
  chosen,
  onChosen,
}: {
  given: readonly string[];
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
}) {
  const domains = byDomain(given);
  const all = (level: Level): void => {
    let next: ReadonlySet<string> = new Set();
    for (const domain of domains) next = withLevel(next, domain, level);
    onChosen(next);
  };
  return (
    <fieldset class="stack">
      <legend class="field-label">What it may</legend>
      <div class="row">
        <button type="button" class="button button-small" onClick={() => all('read')}>
          Read all
        </button>
        <button type="button" class="button button-small" onClick={() => all('all')}>
          Everything
        </button>
        <button type="button" class="button button-small" onClick={() => all('none')}>
          Nothing
        </button>
        <span class="hint" role="status">
          {chosen.size === 0 ? 'Nothing is chosen yet.' : `${chosen.size} rights are chosen.`}
        </span>
      </div>
      <div class="scopes">
        {domains.map((domain) => (
          <fieldset key={domain.name} class="scope-line">
            <legend>{DOMAIN_WORDS[domain.name] ?? titleWords(domain.name)}</legend>
            {levelsOf(domain).map((level) => (
              <label key={level} class="choice-one">
                <input
                  type="radio"
                  name={`scope-${domain.name}`}
                  checked={levelOf(domain, chosen) === level}
                  onChange={() => onChosen(withLevel(chosen, domain, level))}
                />
                <span>{LEVEL_WORDS[level]}</span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
    </fieldset>
  );
}

/** Domains whose names say little. */
const DOMAIN_WORDS: Readonly<Record<string, string>> = {
  icps: 'ICPs',
  ext_integrations: 'Mail, calendar',
  outreach: 'Sending',
  admin: 'Platform',
};

const LEVEL_WORDS: Readonly<Record<Level, string>> = { none: 'Nothing', read: 'Read', write: 'Write', all: 'All' };
