import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<T> {
  head: ComponentChildren;
  cell: (row: T) => ComponentChildren;
  /** Numbers stand at the right. */
  align?: 'right';
  /** It goes first where the screen is narrow. */
  minor?: true;
}

/** Rows below heads; where the screen is narrow it moves sideways by itself, not the page. */
export function Table<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
  const classOf = ({ align, minor }: Column<T>): string =>
    [align === 'right' ? 'right' : '', minor ? 'minor' : ''].filter(Boolean).join(' ');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what moves sideways has to be moved by keys, too
    // biome-ignore lint/a11y/useSemanticElements: a section of its own would be a landmark
    <div class="table-frame" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <th key={place} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, place) => (
                <td key={place} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
