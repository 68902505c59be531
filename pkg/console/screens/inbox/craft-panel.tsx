import { useSignal } from '@preact/signals';
import { call, newKey, type Output } from '../../api/call.ts';
import { type Failure, failureOf } from '../../api/http.ts';
import { may } from '../../app/session.ts';
import { Facts, MarkedText } from '../../parts/facts/facts.tsx';
import { FlagList } from '../../parts/facts/flags.tsx';
import { Check, Select, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine, Skeleton } from '../../parts/loaded.tsx';

type Intent = 'answer' | 'book_meeting' | 'handle_objection' | 'polite_close';
type Crafted = Output<'svc_craft_reply'>;

const INTENTS: readonly { value: Intent; label: string }[] = [
  { value: 'answer', label: 'Answer what they ask' },
  { value: 'book_meeting', label: 'Find a time to meet' },
  { value: 'handle_objection', label: 'Meet their objection' },
  { value: 'polite_close', label: 'Say goodbye kindly' },
];

/** Drafts of an answer, to choose from. Nothing is sent by it. */
export function CraftPanel({
  conversationId,
  onUse,
  onClose,
}: {
  conversationId: string;
  onUse: (text: string) => void;
  onClose: () => void;
}) {
  const intent = useSignal<Intent>('answer');
  const instructions = useSignal('');
  const proposes = useSignal(false);
  const busy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  const crafted = useSignal<Crafted | undefined>(undefined);
  /** The same order again, after its answer was lost, is charged once. */
  const order = useSignal({ of: '', key: '' });
  const craft = async (): Promise<void> => {
    const wanted = instructions.value.trim();
    const input = {
      conversationId,
      intent: intent.value,
      variants: 2,
      ...(proposes.value ? { proposeSlots: true } : {}),
      ...(wanted === '' ? {} : { instructions: wanted }),
    };
    const of = JSON.stringify(input);
    if (order.value.of !== of || crafted.value) order.value = { of, key: newKey() };
    busy.value = true;
    failure.value = undefined;
    try {
      crafted.value = await call('svc_craft_reply', input, { key: order.value.key });
    } catch (error) {
      failure.value = failureOf(error);
    }
    busy.value = false;
  };
  return (
    <section class="card craft" aria-label="Draft an answer">
      <div class="row">
        <Select<Intent>
          label="What the answer is to do"
          quiet
          value={intent.value}
          options={INTENTS}
          onValue={(value) => {
            intent.value = value;
          }}
        />
        {intent.value === 'book_meeting' && may('ext_integrations:read') ? (
          <Check
            label="Propose free times"
            checked={proposes.value}
            onChecked={(checked) => {
              proposes.value = checked;
            }}
          />
        ) : null}
        <span class="grow" />
        <button type="button" class="button button-quiet button-icon" aria-label="Close the drafts" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <TextField
        label="What to mind"
        quiet
        placeholder="What to mind, for example: we have no office in Lyon"
        maxLength={4_000}
        value={instructions.value}
        onValue={(value) => {
          instructions.value = value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (!busy.value) void craft();
        }}
      />
      <div class="row">
        <button type="button" class="button" disabled={busy.value} onClick={() => void craft()}>
          <Icon name="spark" /> {crafted.value ? 'Write others' : 'Write'}
        </button>
        {crafted.value ? <span class="soft small">{costOf(crafted.value)}</span> : null}
      </div>
      <FailureLine failure={failure.value} />
      {busy.value ? <Skeleton lines={3} /> : null}
      {busy.value || !crafted.value ? null : (
        <ol class="craft-texts">
          {crafted.value.texts.map((text) => (
            <CraftedText key={text.body} text={text} onUse={onUse} />
          ))}
        </ol>
      )}
    </section>
  );
}

function costOf({ creditsSpent, writer }: Crafted): string {
  const cost = creditsSpent === 0 ? 'free' : `${creditsSpent} credits`;
  return writer === 'template' ? `${cost}, from sentences written before: no language model is set up` : cost;
}

function CraftedText({ text, onUse }: { text: Crafted['texts'][number]; onUse: (text: string) => void }) {
  const fact = useSignal<number | null>(null);
  return (
    <li class="craft-text">
      <FlagList flags={text.riskFlags} />
      <MarkedText body={text.body} facts={text.facts} chosen={fact} />
      {text.facts.length === 0 ? null : (
        <details>
          <summary class="small">Facts it states ({text.facts.length})</summary>
          <Facts body={text.body} facts={text.facts} chosen={fact} zone={null} />
        </details>
      )}
      <button type="button" class="button button-small" onClick={() => onUse(text.body)}>
        Use this text
      </button>
    </li>
  );
}
