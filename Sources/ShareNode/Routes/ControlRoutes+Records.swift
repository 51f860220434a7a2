import ShareControl

extension ControlRoutes {
    func registerForms(_ router: inout Router) {}
    func registerRecords(_ router: inout Router) {}
    func registerTransfer(_ router: inout Router) {}
    func registerChecks(_ router: inout Router) {}
}
