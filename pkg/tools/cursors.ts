/**
 * Opaque page marks, signed and bound to tool, filters and key (catalog conventions); a foreign or altered one is
 * `Invalid input: cursor: …`.
 */
export interface Cursors {
  /** @param position sort values of the last row of the page */
  encode(tool: string, filters: object, position: readonly (string | number | null)[]): string;
  /** @returns the position, or null for the first page. @throws UserError for an altered or foreign cursor */
  decode(tool: string, filters: object, cursor: string | undefined): readonly (string | number | null)[] | null;
}
