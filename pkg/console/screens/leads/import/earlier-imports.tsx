import { usePages } from '../../../api/pages.ts';
import { workspace } from '../../../app/session.ts';
import { Chip } from '../../../parts/chip.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { More } from '../../../parts/more.tsx';
import { Section } from '../../../parts/section.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { plainWords } from '../../../parts/words.ts';

/** Imports of before, with what became of their rows. */
export function EarlierImports() {
  const { workspaceId = '' } = workspace.value ?? {};
  const pages = usePages(
    'svc_get_import_progress',
    { workspaceId, detail: 'full', limit: 10 },
    ({ imports }) => imports,
    { on: ['import'] },
  );
  return (
    <Section title="Earlier imports">
      <Loaded
        of={pages.resource}
        lines={3}
        empty={{ when: ({ items }) => items.length === 0, show: <p class="soft">None so far.</p> }}
      >
        {({ items }) => (
          <>
            <Table
              label="Earlier imports"
              rows={items}
              keyOf={({ importId }) => importId}
              columns={[
                { head: 'Begun', cell: ({ startedAt = '' }) => <Time at={startedAt} /> },
                { head: 'From', cell: ({ kind = '' }) => plainWords(kind), minor: true },
                {
                  head: 'State',
                  cell: ({ status = '' }) => (
                    <Chip tone={status === 'failed' ? 'bad' : status === 'completed' ? 'good' : 'accent'}>
                      {status}
                    </Chip>
                  ),
                },
                { head: 'New', cell: ({ created = 0 }) => created, align: 'right' },
                { head: 'Changed', cell: ({ updated = 0 }) => updated, align: 'right', minor: true },
                { head: 'Skipped', cell: ({ skipped = 0 }) => skipped, align: 'right' },
                { head: 'Excluded', cell: ({ excluded = 0 }) => excluded, align: 'right', minor: true },
              ]}
            />
            <More of={pages} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
