internal import Dispatch
internal import ShareCrypto

/// Discovery's own thread of events: all calls into Avahi's layer, which may block for seconds
/// while the daemon hangs, happen on its queue.
actor DiscoveryEngine {
    /// Waits between tries to reach avahi-daemon.
    static let retries = RetrySchedule(first: .milliseconds(500), longest: .seconds(30))
    /// Changes within this time are published as one.
    static let publishDelay = Duration.milliseconds(20)

    let executor: DispatchExecutor
    let cache: SnapshotCache
    let device: DeviceKey
    private let timer: any DispatchSourceTimer

    /// The announcement to be made; nil while discovery is off.
    var advertisement: Advertisement?
    var state = DiscoveryState.off
    var browser: ServiceReference?
    var registration: ServiceReference?
    /// The name given in the last registration, and which variant of the device's name it is.
    var wantedName = ""
    var variant = 1
    var registeredName: String?
    var browsingSince: ContinuousClock.Instant?
    var neighbourhood = Neighbourhood()
    var lookups: [Sighting: Lookup] = [:]
    var lookupsBegun: UInt64 = 0
    /// Replies of references made before the last reset are not heard.
    var epoch: UInt64 = 0
    /// When the network was last asked, and when it is to be asked next.
    var nudgedAt: ContinuousClock.Instant?
    var nudgeAt: ContinuousClock.Instant?
    var failures = 0
    var retryAt: ContinuousClock.Instant?
    private var publishAt: ContinuousClock.Instant?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(device: DeviceKey, cache: SnapshotCache, executor: DispatchExecutor) {
        self.device = device
        self.cache = cache
        self.executor = executor
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        self.timer = timer
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.timeHasPassed() } }
        timer.resume()
    }

    // MARK: What the outside asks

    /// Begins, or goes on with another advertisement.
    func advertise(_ next: Advertisement) {
        let previous = advertisement
        advertisement = next
        if previous?.name != next.name { (wantedName, variant) = ("", 1) }
        switch state {
        case .off: open()
        case .unavailable: break
        case .starting, .running: readvertise(previous)
        }
        noteChange()
        proceed()
    }

    /// Looks everything up again, and tries at once to reach an absent daemon.
    func refresh() {
        neighbourhood.refresh(at: .now)
        if retryAt != nil { retryAt = .now }
        nudge(at: .now)
        proceed()
    }

    /// Ends; `then` is called when the advertisement has been taken back.
    func close(then: @escaping @Sendable () -> Void) {
        advertisement = nil
        (retryAt, failures) = (nil, 0)
        state = .off
        dropReferences(then: then)
        publish()
        proceed()
    }

    // MARK: Opening and losing the daemon

    private func open() {
        guard advertisement != nil else { return }
        retryAt = nil
        state = .starting
        noteChange()
        let epoch = epoch
        do throws(ServiceError) {
            browser = try ServiceReference.browse(on: executor.queue) { [weak self] reply in
                self?.assumeIsolated { $0.heard(reply, from: epoch) }
            }
            browsingSince = .now
            nudgeAt = .now + DiscoveryEngine.nudgeIntervalAlone
            try register()
        } catch {
            lose(error.code)
        }
    }

    /// Registers under the first name that this machine has free.
    private func register() throws(ServiceError) {
        guard let advertisement else { return }
        let epoch = epoch
        registeredName = nil
        if wantedName.isEmpty { wantedName = ServiceName.variant(variant, of: advertisement.name) }
        while true {
            do throws(ServiceError) {
                registration = try ServiceReference.register(
                    name: wantedName, port: advertisement.port, text: advertisement.text.bytes,
                    on: executor.queue
                ) { [weak self] reply in
                    self?.assumeIsolated { $0.heard(reply, from: epoch) }
                }
                state = .running
                return
            } catch  where error.isNameConflict && variant < ServiceName.mostVariants {
                variant += 1
                wantedName = ServiceName.variant(variant, of: advertisement.name)
            }
        }
    }

    /// Tells the new advertisement in place of the previous one.
    private func readvertise(_ previous: Advertisement?) {
        guard let advertisement, advertisement != previous else { return }
        if advertisement.name == previous?.name, advertisement.port == previous?.port,
            let registration, (try? registration.updateText(advertisement.text.bytes)) != nil
        {
            return
        }
        reregister()
    }

    /// Takes the registration back and makes it anew: the old one must be gone first, or its
    /// name would be taken by ourselves.
    private func reregister() {
        let epoch = epoch
        registeredName = nil
        let old = registration
        registration = nil
        old?.close { [weak self] in
            self?.assumeIsolated { engine in
                guard engine.epoch == epoch, engine.registration == nil else { return }
                do throws(ServiceError) {
                    try engine.register()
                } catch {
                    engine.lose(error.code)
                }
                engine.proceed()
            }
        }
    }

    /// The daemon is gone or refuses: every reference is dead, and all that was told is withdrawn.
    private func lose(_ code: Int32) {
        noteChange()
        dropReferences {}
        failures += 1
        state = .unavailable(AvahiLayer.fault(code))
        let delay = DiscoveryEngine.retries.delay(
            after: failures, jitter: Double.random(in: 0..<1))
        retryAt = .now + delay
    }

    private func dropReferences(then: @escaping @Sendable () -> Void) {
        epoch &+= 1
        for lookup in lookups.values { lookup.close() }
        lookups = [:]
        neighbourhood.forgetAll()
        (registeredName, browsingSince) = (nil, nil)
        let (browser, registration) = (browser, registration)
        (self.browser, self.registration) = (nil, nil)
        nudgeAt = nil
        browser?.close()
        if let registration { registration.close(then: then) } else { then() }
    }

    /// A reply of the browser or the registration.
    private func heard(_ reply: ServiceReply, from epoch: UInt64) {
        guard epoch == self.epoch else { return }
        noteChange()
        switch reply {
        case .browsed(let sighting, let added):
            if added {
                neighbourhood.appeared(sighting, at: .now)
            } else if neighbourhood.vanished(sighting) {
                lookups.removeValue(forKey: sighting)?.close()
            }
        case .registered(let name):
            // Where the network has chosen another name, that is ours from now on.
            (registeredName, wantedName) = (name, name)
            failures = 0
        case .failed(let code) where ServiceError(code: code).isNameConflict:
            variant += 1
            wantedName = ""
            if variant <= ServiceName.mostVariants { reregister() } else { lose(code) }
        case .failed(let code):
            lose(code)
        case .resolved, .record:
            break
        }
        proceed()
    }

    // MARK: Time

    private func timeHasPassed() {
        let now = ContinuousClock.now
        if let retryAt, retryAt <= now { open() }
        if let nudgeAt, nudgeAt <= now { nudge(at: now) }
        for (sighting, lookup) in lookups where lookup.deadline <= now { end(sighting) }
        if let publishAt, publishAt <= now { publish() }
        proceed()
    }

    /// After every event: begins the lookups that are due, and sets the timer.
    func proceed() {
        let now = ContinuousClock.now
        while browser != nil,
            let sighting = neighbourhood.nextLookup(at: now, preferring: registeredName)
        {
            begin(sighting, at: now)
        }
        let next = [
            retryAt, publishAt, nudgeAt, neighbourhood.wake,
            lookups.values.map(\.deadline).min(),
        ].compactMap { $0 }.min()
        guard let next else { return timer.schedule(deadline: .distantFuture) }
        let wait = max(now.duration(to: next), .zero) / .nanoseconds(1)
        timer.schedule(
            deadline: .now() + .nanoseconds(Int(min(wait, 1e15))), leeway: .milliseconds(5))
    }

    /// Publishes a new snapshot within a moment.
    func noteChange() {
        if publishAt == nil { publishAt = .now + DiscoveryEngine.publishDelay }
    }

    private func publish() {
        publishAt = nil
        var snapshot = DiscoverySnapshot()
        snapshot.state = state
        snapshot.registeredName = registeredName
        snapshot.browsingSince = browsingSince
        snapshot.ownSeen = neighbourhood.sees(device, named: registeredName)
        snapshot.peers = neighbourhood.peers(except: device)
        snapshot.duplicates = neighbourhood.duplicates(of: device, besides: registeredName)
        cache.publish(snapshot)
    }
}

/// Runs an actor on a Dispatch queue of its own, so that what blocks there does not hold up the
/// Swift concurrency pool.
final class DispatchExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
