import { useSignal } from '@preact/signals';
import { call, type Input } from '../../api/call.ts';
import type { Resource } from '../../api/resource.ts';
import { may, workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { TextArea, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { Lead, LeadAnswer } from './lead-types.ts';

/** Tags and notes of this workspace. */
export function LeadTags({ lead, resource }: { lead: Lead; resource: Resource<LeadAnswer> }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const deed = useDeed();
  const tag = useSignal('');
  const note = useSignal('');
  const writes = may('leads:write');
  const write = (change: Input<'svc_upsert_lead'>, done: () => void): void =>
    deed.run(async () => {
      await call('svc_upsert_lead', { workspaceId, leadId: lead.leadId, ...change });
      done();
      resource.reload();
    });
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const addTags = tag.value.split(',').flatMap((one) => one.trim() || []);
    if (addTags.length > 0) write({ addTags }, () => (tag.value = ''));
  };
  const keep = (event: SubmitEvent): void => {
    event.preventDefault();
    if (note.value.trim() !== '') write({ note: note.value.trim() }, () => (note.value = ''));
  };
  return (
    <Section title="Tags and notes">
      {lead.tags.length === 0 ? <p class="soft">No tags.</p> : null}
      <ul class="row">
        {lead.tags.map((one) => (
          <li key={one} class="row lead-tag">
            <Chip>
              <bdi>{one}</bdi>
              {writes ? (
                <button
                  type="button"
                  class="chip-close"
                  aria-label={`Take the tag ${one} away`}
                  disabled={deed.busy}
                  onClick={() => write({ removeTags: [one] }, () => undefined)}
                >
                  <Icon name="close" size={12} />
                </button>
              ) : null}
            </Chip>
          </li>
        ))}
      </ul>
      {writes ? (
        <form class="lead-line" onSubmit={add}>
          <TextField
            label="New tag"
            quiet
            placeholder="New tag"
            maxLength={200}
            value={tag.value}
            onValue={(value) => (tag.value = value)}
          />
          <button type="submit" class="button" disabled={deed.busy || tag.value.trim() === ''}>
            Add
          </button>
        </form>
      ) : null}
      {lead.notes.length === 0 ? null : (
        <ul class="stack lead-notes">
          {lead.notes.map(({ noteId, text, author, at }) => (
            <li key={noteId}>
              <p class="pre">
                <bdi>{text}</bdi>
              </p>
              <p class="soft small">
                <bdi>{author}</bdi>, <Time at={at} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {writes ? (
        <form class="stack" onSubmit={keep}>
          <TextArea
            label="New note"
            quiet
            placeholder="New note"
            rows={2}
            maxLength={5000}
            value={note.value}
            onValue={(value) => (note.value = value)}
          />
          <div>
            <button type="submit" class="button" disabled={deed.busy || note.value.trim() === ''}>
              Keep the note
            </button>
          </div>
        </form>
      ) : null}
      <FailureLine failure={deed.failure} />
    </Section>
  );
}
