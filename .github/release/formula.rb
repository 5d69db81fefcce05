# Written by the release workflow; a change here is lost with the next version.
class Ayeaye < Formula
  desc "Hands tasks to Android phones over MCP, and asks when in doubt"
  homepage "{homepage}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "{url aarch64-apple-darwin}"
      sha256 "{sha256 aarch64-apple-darwin}"
    end
    on_intel do
      url "{url x86_64-apple-darwin}"
      sha256 "{sha256 x86_64-apple-darwin}"
    end
  end

  on_linux do
    on_arm do
      url "{url aarch64-unknown-linux-gnu}"
      sha256 "{sha256 aarch64-unknown-linux-gnu}"
    end
    on_intel do
      url "{url x86_64-unknown-linux-gnu}"
      sha256 "{sha256 x86_64-unknown-linux-gnu}"
    end
  end

  def install
    bin.install "ayeaye"
    generate_completions_from_executable(bin/"ayeaye", "completions")
    system bin/"ayeaye", "man", "--out", man1
    doc.install "README.md", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-NOTICES.txt"
  end

  def caveats
    <<~TEXT
      Phones are reached by adb: brew install --cask android-platform-tools
      See it work without a phone: ayeaye demo
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ayeaye --version")
    system bin/"ayeaye", "demo", "--yes"
  end
end
