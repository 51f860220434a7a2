// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of this package: it may use the modules named, and nothing else.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A C library that Debian installs; the module map links it.
func library(_ name: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)")
}

let package = Package(
    name: "shared",
    products: [
        .executable(name: "sharedd", targets: ["sharedd"]),
        .executable(name: "shared", targets: ["shared"]),
        .executable(name: "shared-form", targets: ["shared-form"]),
    ],
    targets: [
        library("CSodium"), library("COpenSSL"), library("CSQLite"),
        library("CZstd"), library("CDNSSD"), library("CMicrohttpd"),
        library("CSystemd"), library("CMalloc"), library("CEpoll"), library("CQREncode"),
        library("CZip"), library("CExpat"),
        .target(name: "CArguments", path: "Sources/C/CArguments"),

        module("JSON"),
        module("Expressions"),
        module("Charts"),
        module("ShareCrypto", ["CSodium"]),
        module("ShareCore", ["ShareCrypto", "CZstd"]),
        module("ShareStore", ["Expressions", "ShareCore", "ShareCrypto", "CSQLite"]),
        module("ShareFormats", ["JSON", "ShareCore", "ShareCrypto"]),
        module("ShareForms", ["Expressions", "JSON", "ShareCore", "ShareFormats"]),
        module("Spreadsheet", ["ShareFormats", "CZip", "CExpat"]),
        module("XLSForm", ["Spreadsheet", "ShareFormats", "JSON"]),
        module("ShareNet", ["ShareCore", "ShareCrypto", "COpenSSL", "CDNSSD", "CEpoll"]),
        module("ShareControl", ["JSON"]),
        module("ControlClient", ["JSON", "ShareControl"]),
        module(
            "ShareNode",
            [
                "Charts", "Expressions", "JSON", "ShareControl", "ShareCore", "ShareCrypto",
                "ShareFormats", "ShareForms", "ShareNet", "ShareStore",
                "CMalloc", "CMicrohttpd", "CSystemd",
            ]),
        .executableTarget(
            name: "sharedd", dependencies: ["ShareNode", "CArguments"], swiftSettings: strict),
        .executableTarget(
            name: "shared",
            dependencies: [
                "Charts", "ControlClient", "Expressions", "JSON", "ShareControl", "CArguments",
                "CQREncode",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "shared-form",
            dependencies: [
                "JSON", "ShareCore", "ShareFormats", "ShareForms", "Spreadsheet", "XLSForm",
                "CArguments",
            ],
            swiftSettings: strict),
        module("ShareTestKit", ["ShareCore", "ShareCrypto"]),
        .executableTarget(
            name: "discovery-probe", dependencies: ["ShareNet", "ShareCrypto"], path: "Lab/Probe",
            swiftSettings: strict),

        .executableTarget(
            name: "form-bench",
            dependencies: ["Expressions", "ShareCore", "ShareFormats", "ShareForms"],
            path: "Benchmarks/forms", swiftSettings: strict),
        .executableTarget(
            name: "store-bench", dependencies: ["ShareStore", "ShareCore", "ShareCrypto"],
            path: "Benchmarks/store", swiftSettings: strict),

        tests("JSONTests", ["JSON"]),
        tests("ExpressionsTests", ["Expressions", "ShareTestKit"]),
        tests("ChartsTests", ["Charts", "ShareTestKit"]),
        tests("ShareCryptoTests", ["ShareCrypto", "ShareTestKit"]),
        tests("ShareCoreTests", ["JSON", "ShareCore", "ShareCrypto", "ShareTestKit"]),
        tests(
            "ShareStoreTests",
            ["Expressions", "ShareStore", "ShareCore", "ShareCrypto", "ShareTestKit", "CSQLite"]),
        tests("ShareFormatsTests", ["ShareFormats", "JSON", "ShareCore", "ShareTestKit"]),
        tests(
            "ShareFormsTests",
            ["ShareForms", "Expressions", "JSON", "ShareCore", "ShareFormats", "ShareTestKit"]),
        tests("SpreadsheetTests", ["Spreadsheet", "ShareFormats", "ShareTestKit"]),
        tests("XLSFormTests", ["XLSForm", "Spreadsheet", "JSON", "ShareTestKit"]),
        tests(
            "ShareNetTests",
            [
                "ShareNet", "ShareCore", "ShareCrypto", "ShareTestKit", "COpenSSL",
                "CEpoll", "discovery-probe",
            ]),
        tests(
            "ControlClientTests",
            ["ControlClient", "JSON", "ShareControl", "ShareTestKit", "shared"]),
        tests(
            "ShareNodeTests",
            [
                "ShareNode", "JSON", "ShareControl", "ControlClient", "ShareStore", "ShareNet",
                "ShareCore", "ShareCrypto", "ShareTestKit",
            ]),
        tests(
            "CommandTests",
            ["JSON", "ShareControl", "ShareTestKit", "shared", "sharedd", "shared-form"]),
    ],
    swiftLanguageModes: [.v6]
)
