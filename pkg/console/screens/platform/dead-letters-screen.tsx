import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { call, type Input, type Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { platformPath } from '../../app/address.ts';
import type { ScreenProps } from '../../app/screen-props.ts';
import { Ask } from '../../parts/ask.tsx';
import { Chip } from '../../parts/chip.tsx';
import { type Fact, FactList } from '../../parts/fact-list.tsx';
import { Check, Select } from '../../parts/form.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { ScreenHead } from '../../parts/screen-head.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { plainWords, titleWords } from '../../parts/words.ts';
import '../../parts/section.css';
import './platform.css';
import { Reason } from './reason.tsx';

type Letter = Output<'svc_admin_list_dead_letters'>['deadLetters'][number];
type Resolution = Input<'svc_admin_resolve_dead_letter'>['resolution'];
type Kind = NonNullable<Input<'svc_admin_list_dead_letters'>['kind']>;

const KINDS = [
  { value: '', label: 'Any' },
  ...(['send', 'automation', 'enrichment', 'webhook', 'import', 'publish'] as const).map((value) => ({
    value,
    label: titleWords(value),
  })),
] as const satisfies readonly { value: Kind | ''; label: string }[];

/** Actions that gave up: what is known of each, and the one safe next step. The address may name a workspace. */
export default function DeadLettersScreen({ rest }: ScreenProps) {
  const { route } = useLocation();
  const kind = useSignal<Kind | ''>('');
  const unknownOnly = useSignal(false);
  const asked = {
    workspaceId: rest || undefined,
    kind: kind.value || undefined,
    unknownOutcomeOnly: unknownOnly.value,
    limit: 25,
  };
  const pages = usePages('svc_admin_list_dead_letters', asked, ({ deadLetters }) => deadLetters);
  return (
    <>
      <ScreenHead title="Dead letters" />
      <div class="form-grid platform-filters">
        <Select
          label="Kind"
          value={kind.value}
          options={KINDS}
          onValue={(value) => {
            kind.value = value;
          }}
        />
        <Check
          label="Only those of unknown outcome"
          checked={unknownOnly.value}
          onChecked={(checked) => {
            unknownOnly.value = checked;
          }}
        />
        {rest === '' ? null : (
          <p class="row">
            Of <code>{rest}</code>
            <button type="button" class="button button-small" onClick={() => route(platformPath('dead-letters'))}>
              Of all workspaces
            </button>
          </p>
        )}
      </div>
      <Loaded
        of={pages.resource}
        lines={8}
        empty={{
          when: ({ items }) => items.length === 0,
          show: (
            <Empty icon="check" title="Nothing gave up">
              <p>Here stand actions that were tried and given up, or of which nobody knows whether they happened.</p>
            </Empty>
          ),
        }}
      >
        {({ items }) => (
          <ul class="letters">
            {items.map((letter) => (
              <LetterCard key={letter.deadLetterId} letter={letter} pages={pages} />
            ))}
          </ul>
        )}
      </Loaded>
      <More of={pages} />
    </>
  );
}

const DEEDS: Readonly<Record<Resolution, { verb: string; says: string }>> = {
  lookup: { verb: 'Look it up', says: 'The network is asked whether it happened. Nothing is sent.' },
  retry: { verb: 'Try again', says: 'It is done again. Only what is known not to have happened is.' },
  mark_done: {
    verb: 'It happened',
    says: 'It counts as sent: budgets and credits are settled so, and the lead goes on.',
  },
  mark_not_done: { verb: 'It did not happen', says: 'It counts as not sent: budgets and credits come back.' },
  discard: { verb: 'Leave it', says: 'Nothing more is done about it.' },
};

/** What may be decided: a send of unknown outcome is never done again. */
function deedsOf({ kind, outcomeKnown }: Letter): Resolution[] {
  if (kind !== 'send') return ['mark_done', 'mark_not_done', 'discard'];
  return outcomeKnown ? ['retry', 'discard'] : ['lookup', 'mark_done', 'mark_not_done', 'discard'];
}

/** The tool's next step is for whoever calls tools: here it stands in the words of the buttons. */
function nextWords({ nextStep }: Letter): string {
  const named = (Object.keys(DEEDS) as Resolution[]).filter((one) => new RegExp(`\\b${one}\\b`).test(nextStep));
  const before = nextStep.replace(/,? ?(?:then )?call svc_admin_resolve_dead_letter.*$/i, '').replace(/[:.]$/, '');
  const buttons = named.map((one) => `“${DEEDS[one].verb}”`).join(' or ');
  return [before, buttons && `${before ? 'then ' : ''}${buttons}`].filter(Boolean).join(', ');
}

function LetterCard({ letter, pages }: { letter: Letter; pages: Pages<Letter> }) {
  const {
    workspaceId,
    action,
    kind,
    error,
    outcomeKnown,
    attempts,
    firstAt,
    lastAt,
    dispatchedAt,
    requestHash,
    evidence,
  } = letter;
  const asking = useSignal<Resolution | undefined>(undefined);
  const facts: Fact[] = [
    [
      'Workspace',
      <a key="w" href={platformPath('workspaces', workspaceId)}>
        {workspaceId}
      </a>,
    ],
    ['Begun', <Time key="f" at={firstAt} />],
    dispatchedAt === null ? null : ['Left', <Time key="d" at={dispatchedAt} />],
    ['Given up', <Time key="l" at={lastAt} />],
    ['Tries', String(attempts)],
    [
      'Request',
      requestHash === null ? 'its text was erased' : <span class="hash">{requestHash.slice(0, 16)}…</span>,
      requestHash ?? '',
    ],
  ];
  return (
    <li class="letter card">
      <p class="row">
        <strong>{titleWords(action)}</strong>
        <Chip>{plainWords(kind)}</Chip>
        <Chip tone={outcomeKnown ? 'plain' : 'bad'}>{outcomeKnown ? 'outcome known' : 'outcome unknown'}</Chip>
      </p>
      <p class="pre">
        <bdi>{error}</bdi>
      </p>
      <FactList facts={facts} />
      {evidence.length === 0 ? null : (
        <details>
          <summary>What is known ({evidence.length})</summary>
          <ol class="evidence">
            {evidence.map(({ at, what, text, by }, place) => (
              <li key={place}>
                {at === null ? null : <Time at={at} />} <strong>{plainWords(what)}</strong> <bdi>{text}</bdi>
                {by === '' ? null : <span class="soft"> by {by}</span>}
              </li>
            ))}
          </ol>
        </details>
      )}
      <p class="hint">Safe next: {nextWords(letter)}.</p>
      <p class="row">
        {deedsOf(letter).map((resolution) => (
          <button
            key={resolution}
            type="button"
            class="button button-small"
            onClick={() => {
              asking.value = resolution;
            }}
          >
            {DEEDS[resolution].verb}
            <span class="unseen">
              {' '}
              ({plainWords(action)}, {workspaceId})
            </span>
          </button>
        ))}
      </p>
      {asking.value === undefined ? null : (
        <Resolve
          letter={letter}
          resolution={asking.value}
          pages={pages}
          onClose={() => {
            asking.value = undefined;
          }}
        />
      )}
    </li>
  );
}

interface ResolveProps {
  letter: Letter;
  resolution: Resolution;
  pages: Pages<Letter>;
  onClose: () => void;
}

function Resolve({ letter, resolution, pages, onClose }: ResolveProps) {
  const reason = useSignal('');
  const deed = useDeed();
  const { verb, says } = DEEDS[resolution];
  const decide = (): void =>
    deed.run(async () => {
      const asked = { deadLetterId: letter.deadLetterId, resolution, reason: reason.value.trim() };
      const { state } = await call('svc_admin_resolve_dead_letter', asked);
      say(`It is ${plainWords(state)} now.`, { tone: 'good' });
      onClose();
      pages.resource.reload();
    });
  return (
    <Ask
      title={verb}
      verb={verb}
      ready={reason.value.trim() !== ''}
      danger={resolution === 'retry'}
      deed={deed}
      onYes={decide}
      onClose={onClose}
    >
      <p>{says}</p>
      <Reason reason={reason} />
    </Ask>
  );
}
