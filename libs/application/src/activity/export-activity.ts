import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ActivityHistory, type ActivitySelection, type ShownActivity } from './activity-history.js';

/** Reads all selected activity, the newest first, some entries at a time. */
export class ExportActivityQuery extends Query<AsyncGenerator<readonly ShownActivity[]>> {
  constructor(readonly selection: ActivitySelection) {
    super();
  }
}

/** The result reads on only when the next entries are asked for. It throws `StoreUnavailable` where it cannot. */
@QueryHandler(ExportActivityQuery)
export class ExportActivityHandler implements IQueryHandler<ExportActivityQuery> {
  constructor(private readonly history: ActivityHistory) {}

  async execute({ selection }: ExportActivityQuery): Promise<AsyncGenerator<readonly ShownActivity[]>> {
    return this.history.all('administrator', selection);
  }
}
