import { useComputed, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { here } from '../../../app/address.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Section } from '../../../parts/section.tsx';
import { counted } from '../../../parts/words.ts';
import { fileToMend } from './csv-text.ts';
import { Counts, Reasons } from './import-counts.tsx';
import type { ImportAnswer } from './import-types.ts';
import type { ImportWork } from './import-work.ts';
import { MendTable } from './mend-table.tsx';
import { fileOf } from './picked-file.ts';
import { skippedOf, wholeTable } from './skipped-rows.ts';

interface ReportProps {
  work: ImportWork;
  result: ImportAnswer;
  /** Rows that were mended are a file of their own. */
  onMended: (next: ImportWork) => void;
}

/** What became of a file: counts, each row that was skipped with why, and a file of them to mend. */
export function ImportReport({ work, result, onMended }: ReportProps) {
  const columns = work.columns.value;
  const skipped = useMemo(() => skippedOf(result, columns), [result]);
  const table = useMemo(
    () => (skipped.length === 0 ? undefined : wholeTable(work.picked.text, work.preview.value)),
    [work, skipped],
  );
  const mended = useSignal<ReadonlyMap<string, string>>(new Map());
  const changed = useComputed(() => new Set([...mended.value.keys()].map((key) => Number(key.split('/')[0]))));
  const cut = result.skipped - skipped.length;
  const download = (): void => {
    if (table)
      save(fileToMend(table, skipped, mended.value), `skipped of ${work.picked.name.replace(/\.[^.]*$/, '')}.csv`);
  };
  const again = (): void => {
    if (!table) return;
    const rows = skipped.filter(({ line }) => changed.value.has(line));
    const text = fileToMend(table, rows, mended.value, false).replaceAll('\r\n', '\n');
    onMended(work.again(fileOf(`mended rows of ${work.picked.name}`, new Blob([text]), text)));
  };
  return (
    <div class="sections">
      <Section title="What became of the file" about={<bdi>{work.picked.name}</bdi>}>
        <div role="status">
          <Counts answer={result} />
        </div>
        <p class="row">
          <a class="button button-primary" href={`${here.value('leads')}${work.listId ? `?list=${work.listId}` : ''}`}>
            Look at the leads
          </a>
        </p>
        <Reasons answer={result} />
      </Section>
      {skipped.length === 0 ? null : (
        <Section
          title={`Rows that were skipped (${result.skipped.toLocaleString()})`}
          about="Mend them here and import them again, or download them with their reasons, mend the file, and import that."
          deeds={
            table ? (
              <button type="button" class="button button-small" onClick={download}>
                <Icon name="download" size={16} /> Download them as CSV
              </button>
            ) : undefined
          }
        >
          {cut > 0 ? (
            <p class="banner banner-warn">
              <Icon name="warning" />
              <span>
                {counted(cut, 'more row')} {cut === 1 ? 'was' : 'were'} skipped whose reasons the answer had no room
                for. So many at once are a matter of the whole file: look at the columns, and import it again.
              </span>
            </p>
          ) : null}
          <MendTable table={table} columns={columns} skipped={skipped} mended={mended} />
          {changed.value.size === 0 ? null : (
            <div class="form-foot">
              <button type="button" class="button button-primary" disabled={work.busy.value !== null} onClick={again}>
                Import {counted(changed.value.size, 'mended row')}
              </button>
            </div>
          )}
        </Section>
      )}
    </div>
  );
}

/** Hands a file to the browser. The mark at its beginning tells spreadsheets that it is UTF-8. */
function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([`\uFEFF${text}`], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
