/** What keys do to the draft that is read. */
export interface ItemDeeds {
  approve: () => void;
  edit: () => void;
  reject: () => void;
}

const nothing = (): void => undefined;

/** Of no draft. */
export const NO_DEEDS: ItemDeeds = { approve: nothing, edit: nothing, reject: nothing };
