import ShareControl

extension ControlRoutes {
    func registerStatus(_ router: inout Router) {}
    func registerRooms(_ router: inout Router) {}
    func registerPeers(_ router: inout Router) {}
    func registerJoin(_ router: inout Router) {}
    func registerShare(_ router: inout Router) {}
}
