import type { z } from 'zod';

export const GROUP = 'outrider.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Held until the rows are tombstoned: only a deletion seen with it is one. The one who writes the rows of an object sets it before. */
export const FINALIZER = 'outrider.dev/rows';

/** A column of `kubectl get`; `priority: 1` shows it with `-o wide` only. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'boolean' | 'date';
  jsonPath: string;
  description: string;
  priority?: number;
}

/** One kind: everything its CustomResourceDefinition follows from. */
export interface Kind {
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  description: string;
  spec: z.ZodType;
  status: z.ZodType;
  /** JSON paths that `kubectl get --field-selector` may use. */
  selectableFields: string[];
  columns: Column[];
}
