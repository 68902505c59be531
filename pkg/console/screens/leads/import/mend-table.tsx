import { type Signal, useSignal } from '@preact/signals';
import { ShowMore } from '../../../parts/show-more.tsx';
import type { CsvTable, SkippedRow } from './csv-text.ts';
import type { ShownColumn } from './import-work.ts';
import { shownColumns } from './skipped-rows.ts';

/** Rows that are shown at first, and by how many more each time. */
const SHOWN = 50;

interface MendTableProps {
  /** Absent: the cells are not understood, and only reasons are shown. */
  table: CsvTable | undefined;
  columns: readonly ShownColumn[];
  skipped: readonly SkippedRow[];
  /** By `line/column`. */
  mended: Signal<ReadonlyMap<string, string>>;
}

/** Each row that was skipped with its reasons, and its cells to be mended. */
export function MendTable({ table, columns, skipped, mended }: MendTableProps) {
  const shown = useSignal(SHOWN);
  const places = table ? shownColumns(columns, skipped) : [];
  const rows = new Map(table?.rows.map((row) => [row.line, row]));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what moves sideways has to be moved by keys, too */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section of its own would be a landmark */}
      <div class="table-frame" role="group" aria-label="Rows that were skipped" tabIndex={0}>
        <table class="mend">
          <thead>
            <tr>
              <th scope="col" class="right">
                Row
              </th>
              <th scope="col">Why</th>
              {places.map((place) => (
                <th key={place} scope="col">
                  <bdi>{columns[place]?.name || `Column ${place + 1}`}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {skipped.slice(0, shown.value).map((row) => (
              <tr key={row.line}>
                <th scope="row" class="right" data-label="Row ">
                  {row.row}
                </th>
                <td class="why">
                  {row.reasons.map((reason) => (
                    <p key={reason}>
                      <bdi>{reason}</bdi>
                    </p>
                  ))}
                </td>
                {places.map((place) => (
                  <td key={place} data-label={columns[place]?.name || `Column ${place + 1}`}>
                    <Cell
                      row={row}
                      place={place}
                      name={columns[place]?.name ?? ''}
                      given={rows.get(row.line)?.cells[place] ?? ''}
                      mended={mended}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ShowMore all={skipped.length} shown={shown} step={SHOWN} />
    </>
  );
}

interface CellProps {
  row: SkippedRow;
  place: number;
  name: string;
  given: string;
  mended: Signal<ReadonlyMap<string, string>>;
}

function Cell({ row, place, name, given, mended }: CellProps) {
  const key = `${row.line}/${place}`;
  const isMeant = row.columns.includes(name);
  const set = (value: string): void => {
    const next = new Map(mended.value);
    if (value === given) next.delete(key);
    else next.set(key, value);
    mended.value = next;
  };
  return (
    <input
      class={isMeant ? 'cell cell-meant' : 'cell'}
      aria-label={`${name || `Column ${place + 1}`} of row ${row.row}`}
      value={mended.value.get(key) ?? given}
      maxLength={10_000}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}
