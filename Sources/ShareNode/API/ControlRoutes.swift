import ShareNet
import ShareStore

/// The control API of a node (docs/openapi.yaml): gives each noun's routes the services that they
/// need.
package struct ControlRoutes {
    private let node: Node

    package init(node: Node) { self.node = node }

    /// All routes.
    package func router() -> Router {
        let requests = Requests(rooms: node.rooms, membership: node.membership, log: node.log)
        let readers = RoomReaders()
        let schemas = node.schemas
        let entering = Entering(
            own: node.own, membership: node.membership, sealing: node.sealing,
            autopush: node.autopush, sync: node.sync, changes: node.changes, flags: node.flags,
            wall: node.wall)
        let roomsService = RoomsService(
            own: node.own, names: node.names, rooms: node.rooms, membership: node.membership,
            leaving: node.leaving, advertising: node.advertising, watch: node.watch)
        let members = MembersService(
            own: node.own, names: node.names, membership: node.membership, faults: node.faults,
            sealing: node.sealing, sync: node.sync, membersProgress: node.membersProgress,
            schemas: schemas,
            wall: node.wall)
        let find = FindService(
            names: node.names, schemas: schemas, readers: readers, flags: node.flags,
            wall: node.wall)
        let surroundings = node.surroundings
        let records = RecordsService(
            own: node.own, names: node.names, schemas: schemas, readers: readers, find: find,
            surroundings: surroundings, peers: node.peers)
        let editor = RecordsEditor(
            records: records, entering: entering, checks: EntryCheck(surroundings: surroundings))
        var router = Router()
        StatusRoutes(
            requests: requests,
            status: StatusService(
                own: node.own, rooms: node.rooms, membership: node.membership,
                leaving: node.leaving, faults: node.faults, peers: node.peers,
                membersProgress: node.membersProgress, flags: node.flags, sync: node.sync,
                joins: node.joins, discovery: node.discovery, schemas: schemas,
                parallelForms: ParallelForms(names: node.names),
                parallelLists: ParallelLists(names: node.names), wall: node.wall),
            watch: node.watch
        ).register(on: &router)
        IdentityRoutes(requests: requests, own: node.own, rotation: node.rotation)
            .register(on: &router)
        RoomsRoutes(
            requests: requests, service: roomsService, rooms: node.rooms, members: members,
            autopush: node.autopush
        ).register(on: &router)
        MembersRoutes(
            requests: requests, members: members,
            leave: LeaveService(
                own: node.own, names: node.names, rooms: node.rooms, leaving: node.leaving,
                members: members, peers: node.peers)
        ).register(on: &router)
        PeersRoutes(
            requests: requests, peers: node.peers, discovery: node.discovery, watch: node.watch
        ).register(on: &router)
        InvitesRoutes(
            requests: requests,
            invites: InvitesService(
                names: node.names, rooms: node.rooms, joins: node.joins,
                advertising: node.advertising, schemas: schemas, wall: node.wall),
            join: JoinCommand(
                own: node.own, names: node.names, rooms: node.rooms, sync: node.sync,
                reach: node.reach, joins: node.joins, membership: node.membership,
                leaving: node.leaving, completion: node.completion,
                advertising: node.advertising, discovery: node.discovery,
                creating: roomsService)
        ).register(on: &router)
        let push = PushService(
            own: node.own, names: node.names, sealing: node.sealing, sync: node.sync,
            peers: node.peers)
        SyncRoutes(
            requests: requests, push: push,
            wait: SyncWait(
                own: node.own, names: node.names, sync: node.sync, reach: node.reach,
                membersProgress: node.membersProgress, push: push)
        ).register(on: &router)
        FormsRoutes(
            requests: requests,
            forms: FormsService(
                own: node.own, membership: node.membership, sealing: node.sealing,
                changes: node.changes, schemas: schemas,
                parallel: ParallelForms(names: node.names), surroundings: surroundings)
        ).register(on: &router)
        ListsRoutes(
            requests: requests,
            lists: ListsService(
                membership: node.membership, sealing: node.sealing, schemas: schemas,
                readers: readers, parallel: ParallelLists(names: node.names))
        ).register(on: &router)
        ViewsRoutes(
            requests: requests,
            views: ViewsService(membership: node.membership, sealing: node.sealing)
        ).register(on: &router)
        EntriesRoutes(
            requests: requests,
            states: EntryStateService(
                schemas: schemas, records: records, surroundings: surroundings,
                membership: node.membership)
        ).register(on: &router)
        RecordsRoutes(
            requests: requests, records: records, editor: editor,
            remarks: RemarksService(editor: editor),
            refused: RefusedService(
                names: node.names, faults: node.faults, schemas: node.schemas)
        ).register(on: &router)
        ConflictsRoutes(
            requests: requests,
            conflicts: ConflictsService(
                names: node.names, schemas: schemas, editor: editor)
        ).register(on: &router)
        ImportRoutes(
            requests: requests, own: node.own, entering: entering, schemas: schemas, find: find,
            records: records, surroundings: surroundings
        ).register(on: &router)
        FindRoutes(
            requests: requests, find: find, charts: ChartService(find: find, wall: node.wall),
            search: SearchService(
                names: node.names, schemas: schemas, find: find, store: node.store,
                log: node.log), records: records
        ).register(on: &router)
        ChecksRoutes(
            requests: requests,
            checks: ChecksService(
                names: node.names, rooms: node.rooms, sync: node.sync, faults: node.faults,
                membership: node.membership, advertising: node.advertising, readers: readers,
                log: node.log),
            doctor: Doctor(
                own: node.own, rooms: node.rooms, peers: node.peers, names: node.names,
                sync: node.sync, reach: node.reach, faults: node.faults,
                membership: node.membership, rotation: node.rotation, discovery: node.discovery,
                transport: node.transport,
                endpoint: node.listener.endpoint, folder: node.data.path,
                mending: node.store.mending,
                reaching: ReachChecks(
                    own: node.own, rooms: node.rooms, reach: node.reach, sync: node.sync,
                    transport: node.transport, discovery: node.discovery),
                facts: DoctorFacts(
                    own: node.own, rooms: node.rooms, names: node.names, sync: node.sync,
                    reach: node.reach, endpoint: node.listener.endpoint, folder: node.data.path),
                wall: node.wall),
            ping: PingService(
                own: node.own, names: node.names, rooms: node.rooms, reach: node.reach,
                sync: node.sync)
        ).register(on: &router)
        BundlesRoutes(
            requests: requests,
            writing: BundleWriting(
                own: node.own, names: node.names, members: members, sealing: node.sealing,
                wall: node.wall),
            reading: BundleReading(
                own: node.own, names: node.names, rooms: node.rooms, sync: node.sync,
                sealing: node.sealing, reach: node.reach, membership: node.membership,
                advertising: node.advertising, meetings: node.meetings)
        ).register(on: &router)
        return router
    }
}
