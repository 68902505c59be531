import { Chip, type Tone } from '../chip.tsx';
import './facts.css';

/** What a flag of a draft means, in words and colour; serious ones first. */
const FLAGS: Readonly<Record<string, { word: string; about: string; tone: Tone }>> = {
  unsourced_claim: { word: 'Unsourced claim', about: 'A number or a claim in it has no fact on record.', tone: 'bad' },
  banned_phrase: {
    word: 'Banned phrase',
    about: 'It says something that the voice of the workspace forbids.',
    tone: 'bad',
  },
  too_long: { word: 'Too long', about: 'It is longer than its channel allows, and can not be sent so.', tone: 'bad' },
  sensitive: { word: 'Sensitive', about: 'It touches health, faith, politics or private life.', tone: 'bad' },
  stale_signal: { word: 'Old news', about: 'What it refers to is more than 30 days old.', tone: 'warn' },
  name_changed: {
    word: 'Name spelled anew',
    about: 'It spells the name otherwise than the record does.',
    tone: 'warn',
  },
  first_touch: { word: 'First touch', about: 'It is the first that this person hears from you.', tone: 'plain' },
};

const ORDER = Object.keys(FLAGS);

function sorted(flags: readonly string[]): string[] {
  const place = (flag: string): number => (ORDER.includes(flag) ? ORDER.indexOf(flag) : ORDER.length);
  return flags.toSorted((a, b) => place(a) - place(b));
}

/** Whether one of the flags wants a look. */
export function isSerious(flags: readonly string[]): boolean {
  return flags.some((flag) => FLAGS[flag]?.tone !== 'plain');
}

/** Flags that want a look, as chips. */
export function FlagChips({ flags }: { flags: readonly string[] }) {
  const shown = sorted(flags).filter((flag) => FLAGS[flag]?.tone !== 'plain');
  return (
    <>
      {shown.map((flag) => {
        const { word, about, tone } = FLAGS[flag] ?? { word: flag, about: '', tone: 'warn' };
        return (
          <Chip key={flag} tone={tone} title={about}>
            {word}
          </Chip>
        );
      })}
    </>
  );
}

/** Flags with what they mean, above the text. */
export function FlagList({ flags }: { flags: readonly string[] }) {
  if (flags.length === 0) return null;
  return (
    <ul class="flags" aria-label="Flags">
      {sorted(flags).map((flag) => {
        const { word, about, tone } = FLAGS[flag] ?? { word: flag, about: '', tone: 'warn' };
        return (
          <li key={flag}>
            <Chip tone={tone}>{word}</Chip> <span class="small">{about}</span>
          </li>
        );
      })}
    </ul>
  );
}
