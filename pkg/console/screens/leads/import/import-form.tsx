import { Icon } from '../../../parts/icon.tsx';
import { FailureLine } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/section.tsx';
import { counted } from '../../../parts/words.ts';
import { ColumnTable } from './column-table.tsx';
import { Counts, Reasons } from './import-counts.tsx';
import { ImportOptionsForm } from './import-options.tsx';
import type { ImportAnswer } from './import-types.ts';
import type { ImportWork } from './import-work.ts';

/** What is decided before anything is stored. */
export function ImportForm({ work }: { work: ImportWork }) {
  return (
    <div class="sections">
      <Section
        title="1. Where each column goes"
        about={
          <>
            <bdi>{work.picked.name}</bdi>, {size(work.picked.file.size)}. Columns are known by their names; send one
            elsewhere where that is wrong.
          </>
        }
      >
        <ColumnTable work={work} />
      </Section>
      <Section title="2. What becomes of the people">
        <ImportOptionsForm work={work} />
      </Section>
      <Section title="3. Try it out, then import" about="Trying it out stores nothing.">
        <Steps work={work} />
      </Section>
    </div>
  );
}

function size(bytes: number): string {
  if (bytes < 1_024) return counted(bytes, 'byte');
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024).toLocaleString()} KB`;
  return `${(bytes / 1_048_576).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;
}

function Steps({ work }: { work: ImportWork }) {
  const check = work.check.value;
  const busy = work.busy.value;
  const { list, newList } = work.options.value;
  const unnamed = list === 'new' && newList.trim() === '';
  const ready = work.previewFailure.value === undefined && busy === null && !unnamed;
  return (
    <>
      <div role="status">
        {busy === null ? null : <p>{busyWords(work)}</p>}
        {check === undefined ? null : <Outlook check={check} />}
      </div>
      <div class="form-foot">
        <button
          type="button"
          class={check ? 'button' : 'button button-primary'}
          disabled={!ready}
          onClick={() => void work.tryOut()}
        >
          <Icon name="search" size={16} /> {check ? 'Try it out again' : 'Try it out'}
        </button>
        {check ? (
          <button
            type="button"
            class="button button-primary"
            disabled={!ready || isEmpty(check)}
            onClick={() => void work.store()}
          >
            <Icon name="check" size={16} /> Import {counted(check.created + check.updated, 'lead')}
          </button>
        ) : null}
        {unnamed ? <span class="hint">Name the new list first.</span> : null}
      </div>
      <FailureLine failure={work.failure.value} />
    </>
  );
}

/** There is nobody in it whom an import would make, change or exclude. */
function isEmpty({ created, updated, excluded }: ImportAnswer): boolean {
  return created + updated + excluded === 0;
}

function busyWords({ busy, sent }: ImportWork): string {
  switch (busy.value) {
    case 'sending':
      return `The file is being sent: ${Math.round(sent.value * 100)} %`;
    case 'importing':
      return 'People are being stored. A large file takes minutes; keep this page open.';
    default:
      return 'Looking at each row …';
  }
}

/** What would happen. */
function Outlook({ check }: { check: ImportAnswer }) {
  return (
    <div class="stack">
      <Counts answer={check} wouldBe />
      <Reasons answer={check} wouldBe />
    </div>
  );
}
